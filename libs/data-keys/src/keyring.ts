import type { Pool } from '@causeway/postgres';
import { DataKeyDestroyed } from './data-keys.ts';
import { newSealingKey, type SealingKey } from './envelope.ts';
import { expiring } from './expiring.ts';
import type { Wrapped, wrapping } from './wrapping.ts';

/** How long a key stays in memory, and so how long another process may still read after `destroy`. */
const rememberedMs = 5000;

type Place = Readonly<{ pool: Pool; schema: string }>;

/** The data keys of one schema, each wrapped in its row. */
export const keyring = ({ pool, schema }: Place, { wrap, unwrap }: ReturnType<typeof wrapping>) => {
  const find = async (id: string): Promise<SealingKey | 'destroyed' | 'unknown'> => {
    const { rows } = await pool.query<Wrapped | (Wrapped & { wrapped: null })>({
      name: `${schema}.find`,
      text: `SELECT wrapped, master_key_id AS "masterKeyId" FROM ${schema}.data_key WHERE id = $1`,
      values: [id],
    });
    const row = rows[0];
    if (row === undefined) return 'unknown';
    return row.wrapped === null ? 'destroyed' : unwrap(id, row);
  };
  const remembered = expiring(find, rememberedMs);

  const create = async (id: string): Promise<void> => {
    const { wrapped, masterKeyId } = wrap(id, newSealingKey());
    await pool.query(
      `INSERT INTO ${schema}.data_key (id, wrapped, master_key_id) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`,
      [id, wrapped, masterKeyId],
    );
    if ((await find(id)) === 'destroyed') throw new DataKeyDestroyed(id);
  };

  const destroy = async (id: string): Promise<void> => {
    await pool.query(`SELECT ${schema}.destroy($1)`, [id]);
    remembered.forget(id);
  };

  /** Throws for a key never made. */
  const keyOf = async (id: string): Promise<SealingKey | 'destroyed'> => {
    const found = await remembered.get(id);
    if (found !== 'unknown') return found;
    // Not kept: it may be made a moment later.
    remembered.forget(id);
    throw new Error(`no data key was made for ${id}`);
  };

  return { create, destroy, keyOf };
};
