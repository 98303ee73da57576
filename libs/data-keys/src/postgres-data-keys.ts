import type { Pool } from '@causeway/postgres';
import type { SecretRing } from '@causeway/settings';
import { CipherRefused, DataKeyDestroyed, type DataKeys, type KeyOwner } from './data-keys.ts';
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

const valueContext = ({ organization, environment }: KeyOwner, id: string, context: string): string =>
  `${organization} ${environment} ${id} ${context}`;

const opened = (...sealed: Parameters<typeof unsealUnder>): Buffer => {
  try {
    return unsealUnder(...sealed);
  } catch (cause) {
    throw new CipherRefused((cause as Error).message, { cause });
  }
};

export const postgresDataKeys = ({ pool, masterKeys, schema = connectionKeysSchema }: Options): DataKeys => {
  const { create, isOf, destroy, keyOf } = keyring({ pool, schema }, wrapping(masterKeys));
  return {
    ...{ create, isOf, destroy },
    async encrypt(id, plain, context) {
      const { owner, open } = await keyOf(id);
      const key = open();
      if (key === 'destroyed') throw new DataKeyDestroyed(id);
      return sealUnder(key, await pack(plain), valueContext(owner, id, context));
    },
    async decrypt(id, cipher, context) {
      const { owner, open } = await keyOf(id);
      const key = open();
      return key === 'destroyed' ? undefined : unpack(opened(key, cipher, valueContext(owner, id, context)));
    },
  };
};

const none = (): Promise<never> => Promise.reject(new Error('there are no data keys here'));

/** Of a service that encrypts nothing. */
export const noDataKeys: DataKeys = { create: none, isOf: none, destroy: none, encrypt: none, decrypt: none };
