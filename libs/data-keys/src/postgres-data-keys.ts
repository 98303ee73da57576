import type { Pool } from '@causeway/postgres';
import { DataKeyDestroyed, type DataKeys } from './data-keys.ts';
import { sealingKey, sealUnder, unsealUnder } from './envelope.ts';
import { keyring } from './keyring.ts';
import { pack, unpack } from './packed.ts';

type Options = Readonly<{
  /** Runs as a role of `dataKeyMigrations`. */
  pool: Pool;
  masterKey: Buffer;
}>;

const valueContext = (connectionId: string, context: string): string => `${connectionId} ${context}`;
const sealContext = (context: string): string => `seal ${context}`;

export const postgresDataKeys = ({ pool, masterKey }: Options): DataKeys => {
  const master = sealingKey(masterKey);
  const { create, destroy, keyOf } = keyring(pool, master);
  return {
    create,
    destroy,
    async encrypt(connectionId, plain, context) {
      const key = await keyOf(connectionId);
      if (key === 'destroyed') throw new DataKeyDestroyed(connectionId);
      return sealUnder(key, await pack(plain), valueContext(connectionId, context));
    },
    async decrypt(connectionId, cipher, context) {
      const key = await keyOf(connectionId);
      return key === 'destroyed' ? undefined : unpack(unsealUnder(key, cipher, valueContext(connectionId, context)));
    },
    seal: (plain, context) => sealUnder(master, plain, sealContext(context)),
    unseal: (cipher, context) => unsealUnder(master, cipher, sealContext(context)),
  };
};
