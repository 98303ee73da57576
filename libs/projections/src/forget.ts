import type { Pool } from '@causeway/postgres';
import { liveGeneration } from './generation.ts';
import { tableOf, type Projection } from './projection.ts';

/** Of one statement, so that it locks little. */
const rowsMax = 1000;

/** Deletes from the live generation what the projection forgets. Resolves to the number of rows. */
export const forgetRows = async (pool: Pool, schema: string, projection: Projection): Promise<number> => {
  const live = await liveGeneration(pool, schema, projection.name);
  if (live === undefined) return 0;
  const name = tableOf(schema, live);
  let forgotten = 0;
  for (const [table, condition] of Object.entries(projection.forgets?.(name) ?? {})) {
    const sql = `DELETE FROM ${name(table)} WHERE ctid = ANY (ARRAY(
      SELECT r.ctid FROM ${name(table)} r WHERE ${condition} LIMIT ${rowsMax}))`;
    for (let more = true; more;) {
      const { rowCount } = await pool.query(sql);
      forgotten += rowCount ?? 0;
      more = rowCount === rowsMax;
    }
  }
  return forgotten;
};
