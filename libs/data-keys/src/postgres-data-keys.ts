import type { Pool } from '@causeway/postgres';
import type { SecretRing } from '@causeway/settings';
import { DataKeyDestroyed, type DataKeys } from './data-keys.ts';
import { sealUnder, unsealUnder } from './envelope.ts';
import { keyring } from './keyring.ts';
import { connectionKeysSchema } from './migrations.ts';
import { pack, unpack } from './packed.ts';
import { wrapping } from './wrapping.ts';

type Options = Readonly<{
  /** Runs as a role of `dataKeyMigrations`. */
  pool: Pool;
  masterKeys: SecretRing;
  schema?: string;
}>;

const valueContext = (id: string, context: string): string => `${id} ${context}`;

export const postgresDataKeys = ({ pool, masterKeys, schema = connectionKeysSchema }: Options): DataKeys => {
  const { create, destroy, keyOf } = keyring({ pool, schema }, wrapping(masterKeys));
  return {
    create,
    destroy,
    async encrypt(id, plain, context) {
      const key = await keyOf(id);
      if (key === 'destroyed') throw new DataKeyDestroyed(id);
      return sealUnder(key, await pack(plain), valueContext(id, context));
    },
    async decrypt(id, cipher, context) {
      const key = await keyOf(id);
      return key === 'destroyed' ? undefined : unpack(unsealUnder(key, cipher, valueContext(id, context)));
    },
  };
};

const none = (): Promise<never> => Promise.reject(new Error('there are no data keys here'));

/** Of a service that encrypts nothing. */
export const noDataKeys: DataKeys = { create: none, destroy: none, encrypt: none, decrypt: none };
