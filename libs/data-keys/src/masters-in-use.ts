import type { Pool } from '@causeway/postgres';
import { dataKeysSchemas } from './migrations.ts';

/** How many data keys are wrapped under the master key of that id. */
export type MasterInUse = Readonly<{ id: string; dataKeys: number }>;

/** Schemas of data keys that are there: a service makes its own when it first starts. */
export const presentSchemas = async (pool: Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ schema: string }>(
    `SELECT schemaname AS schema FROM pg_tables WHERE tablename = 'data_key' AND schemaname = ANY ($1) ORDER BY 1`,
    [dataKeysSchemas],
  );
  return rows.map(({ schema }) => schema);
};

export const mastersInUse = async (pool: Pool): Promise<readonly MasterInUse[]> => {
  const schemas = await presentSchemas(pool);
  if (schemas.length === 0) return [];
  const wrapped = schemas.map((schema) => `SELECT master_key_id FROM ${schema}.data_key WHERE wrapped IS NOT NULL`);
  const { rows } = await pool.query<MasterInUse>(
    `SELECT master_key_id AS id, count(*)::int AS "dataKeys" FROM (${wrapped.join(' UNION ALL ')}) w GROUP BY 1 ORDER BY 1`,
  );
  return rows;
};
