import type { Pool } from '@causeway/postgres';
import { DataKeyDestroyed, type DataKeys } from './data-keys.ts';
import { newSealingKey, sealingKey, sealUnder, unsealUnder, type SealingKey } from './envelope.ts';
import { expiring } from './expiring.ts';

/** How long a key stays in memory, and so how long another process may still read after `destroy`. */
const rememberedMs = 5000;

type Options = Readonly<{
  /** Runs as a role of `dataKeyMigrations`. */
  pool: Pool;
  masterKey: Buffer;
}>;

type Found = SealingKey | 'destroyed' | 'unknown';

const wrapContext = (connectionId: string): string => `data-key ${connectionId}`;
const sealContext = (context: string): string => `seal ${context}`;
const valueContext = (connectionId: string, context: string): string => `${connectionId} ${context}`;

export const postgresDataKeys = ({ pool, masterKey }: Options): DataKeys => {
  const master = sealingKey(masterKey);

  const find = async (connectionId: string): Promise<Found> => {
    const { rows } = await pool.query<{ wrapped: Buffer | null }>({
      name: 'data_keys.find',
      text: 'SELECT wrapped FROM data_keys.data_key WHERE connection_id = $1',
      values: [connectionId],
    });
    const row = rows[0];
    if (row === undefined) return 'unknown';
    if (row.wrapped === null) return 'destroyed';
    return sealingKey(unsealUnder(master, row.wrapped, wrapContext(connectionId)));
  };
  const remembered = expiring(find, rememberedMs);

  /** A key that does not exist yet may exist a moment later: only that answer is not kept. */
  const keyOf = async (connectionId: string): Promise<SealingKey | 'destroyed'> => {
    const found = await remembered.get(connectionId);
    if (found !== 'unknown') return found;
    remembered.forget(connectionId);
    throw new Error(`no data key was made for connection ${connectionId}`);
  };

  return {
    async create(connectionId) {
      await pool.query(
        'INSERT INTO data_keys.data_key (connection_id, wrapped) VALUES ($1, $2) ON CONFLICT (connection_id) DO NOTHING',
        [connectionId, sealUnder(master, newSealingKey().key, wrapContext(connectionId))],
      );
      if ((await find(connectionId)) === 'destroyed') throw new DataKeyDestroyed(connectionId);
    },

    async destroy(connectionId) {
      await pool.query('SELECT data_keys.destroy($1)', [connectionId]);
      remembered.forget(connectionId);
    },

    async encrypt(connectionId, plain, context) {
      const key = await keyOf(connectionId);
      if (key === 'destroyed') throw new DataKeyDestroyed(connectionId);
      return sealUnder(key, plain, valueContext(connectionId, context));
    },

    async decrypt(connectionId, cipher, context) {
      const key = await keyOf(connectionId);
      return key === 'destroyed' ? undefined : unsealUnder(key, cipher, valueContext(connectionId, context));
    },

    seal: (plain, context) => sealUnder(master, plain, sealContext(context)),
    unseal: (cipher, context) => unsealUnder(master, cipher, sealContext(context)),
  };
};
