import type { SecretRing } from '@causeway/settings';
import { sealingKey, sealUnder, unsealUnder, type SealingKey } from './envelope.ts';

/** A data key as it is stored: sealed under the master key of that id. */
export type Wrapped = Readonly<{ wrapped: Buffer; masterKeyId: string }>;

const context = (id: string): string => `data-key ${id}`;

/** Data keys under master keys: wrapped under the first, unwrapped under any. `id`: whose data key it is. */
export const wrapping = (masterKeys: SecretRing) => {
  const masters = new Map(masterKeys.map(({ id, key }) => [id, sealingKey(key)]));
  const newest = masterKeys[0].id;
  const master = (masterKeyId: string, id: string): SealingKey => {
    const found = masters.get(masterKeyId);
    if (found !== undefined) return found;
    throw new Error(`CAUSEWAY_MASTER_KEY does not list ${masterKeyId}, which wraps the data key of ${id}`);
  };
  return {
    newest,
    wrap: (id: string, { key }: SealingKey): Wrapped => ({
      wrapped: sealUnder(master(newest, id), key, context(id)),
      masterKeyId: newest,
    }),
    unwrap: (id: string, { wrapped, masterKeyId }: Wrapped): SealingKey =>
      sealingKey(unsealUnder(master(masterKeyId, id), wrapped, context(id))),
  };
};
