import type { Pool } from '@causeway/postgres';
import { DataKeyDestroyed } from './data-keys.ts';
import { newSealingKey, sealingKey, sealUnder, unsealUnder, type SealingKey } from './envelope.ts';
import { expiring } from './expiring.ts';

/** How long a key stays in memory, and so how long another process may still read after `destroy`. */
const rememberedMs = 5000;

const wrapContext = (connectionId: string): string => `data-key ${connectionId}`;

/** The connections' keys, each sealed under the master key in its row. */
export const keyring = (pool: Pool, master: SealingKey) => {
  const find = async (connectionId: string): Promise<SealingKey | 'destroyed' | 'unknown'> => {
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

  const create = async (connectionId: string): Promise<void> => {
    await pool.query(
      'INSERT INTO data_keys.data_key (connection_id, wrapped) VALUES ($1, $2) ON CONFLICT (connection_id) DO NOTHING',
      [connectionId, sealUnder(master, newSealingKey().key, wrapContext(connectionId))],
    );
    if ((await find(connectionId)) === 'destroyed') throw new DataKeyDestroyed(connectionId);
  };

  const destroy = async (connectionId: string): Promise<void> => {
    await pool.query('SELECT data_keys.destroy($1)', [connectionId]);
    remembered.forget(connectionId);
  };

  /** Throws for a key never made. */
  const keyOf = async (connectionId: string): Promise<SealingKey | 'destroyed'> => {
    const found = await remembered.get(connectionId);
    if (found !== 'unknown') return found;
    // Not kept: it may be made a moment later.
    remembered.forget(connectionId);
    throw new Error(`no data key was made for connection ${connectionId}`);
  };

  return { create, destroy, keyOf };
};
