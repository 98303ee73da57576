import type { Pool } from '@causeway/postgres';
import type { SecretRing } from '@causeway/settings';
import { presentSchemas } from './masters-in-use.ts';
import { wrapping, type Wrapped } from './wrapping.ts';

const batchKeys = 500;

type Row = Wrapped & Readonly<{ id: string }>;

/** Wraps the next ones under the newest master key; how many it saw. One that was destroyed meanwhile stays so. */
const rewrapSome = async (pool: Pool, schema: string, masters: ReturnType<typeof wrapping>): Promise<number> => {
  const { rows } = await pool.query<Row>(
    `SELECT id, wrapped, master_key_id AS "masterKeyId" FROM ${schema}.data_key
      WHERE wrapped IS NOT NULL AND master_key_id <> $1 LIMIT ${batchKeys}`,
    [masters.newest],
  );
  const anew = rows.map((row) => masters.wrap(row.id, masters.unwrap(row.id, row)).wrapped);
  await pool.query(
    `UPDATE ${schema}.data_key k SET wrapped = n.wrapped, master_key_id = $4
       FROM unnest($1::uuid[], $2::bytea[], $3::bytea[]) AS n (id, before, wrapped)
      WHERE k.id = n.id AND k.wrapped = n.before`,
    [rows.map(({ id }) => id), rows.map(({ wrapped }) => wrapped), anew, masters.newest],
  );
  return rows.length;
};

/**
 * Every data key under the first of the master keys, while all runs; how many were moved. `pool`: as the owner of the
 * schemas. What is encrypted stays as it is.
 */
export const rewrapDataKeys = async (pool: Pool, masterKeys: SecretRing): Promise<number> => {
  const masters = wrapping(masterKeys);
  let moved = 0;
  for (const schema of await presentSchemas(pool)) {
    for (let some = -1; some !== 0; moved += some) some = await rewrapSome(pool, schema, masters);
  }
  return moved;
};
