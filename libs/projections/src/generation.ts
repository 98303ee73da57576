import { pause } from '@causeway/concurrency';
import type { Position } from '@causeway/event-sourcing';
import type { Pool, PoolClient } from '@causeway/postgres';
import { createHash } from 'node:crypto';
import { keptComparison } from './comparison.ts';
import { copyParkings } from './parkings.ts';
import { tableOf, type Generation, type Projection } from './projection.ts';
import { finished } from './requests.ts';

export type Stage = 'building' | 'indexing' | 'ready' | 'live' | 'kept';

/** A generation and how far its rows are. `recordedAt`: of the newest event up to there, or of one before. `heldFor`: the request for which they stand still. */
export type Standing = Generation &
  Readonly<{ position: Position; recordedAt: string; stage: Stage; heldFor: number | null; ddl: string }>;

const standings = (schema: string): string =>
  `SELECT name, version, generation, position, recorded_at::text AS "recordedAt", stage, held_for AS "heldFor", ddl
     FROM ${schema}.projection`;

export const liveGeneration = async (
  database: Pool | PoolClient,
  schema: string,
  name: string,
  lock: '' | 'FOR UPDATE' = '',
): Promise<Standing | undefined> => {
  const { rows } = await database.query<Standing>(`${standings(schema)} WHERE name = $1 AND live ${lock}`, [name]);
  return rows[0];
};

export const standingOf = async (
  database: Pool | PoolClient,
  schema: string,
  of: Generation,
): Promise<Standing | undefined> => {
  const { rows } = await database.query<Standing>(`${standings(schema)} WHERE name = $1 AND generation = $2`, [
    of.name,
    of.generation,
  ]);
  return rows[0];
};

/** Versions of a projection whose tables are made alike can write each other's. */
export const ddlOf = ({ ddl }: Projection): string =>
  createHash('sha256')
    .update(ddl((logical) => logical).join(';'))
    .digest('hex');

/** Empty tables and a checkpoint before the first event. */
export const createGeneration = async (
  tx: PoolClient,
  schema: string,
  projection: Projection,
  live: boolean,
): Promise<Generation> => {
  const { name, version } = projection;
  const { rows } = await tx.query<{ generation: number }>(
    `INSERT INTO ${schema}.projection (name, version, live, stage, tables, ddl, generation)
     SELECT $1, $2, $3, $4, $5, $6, coalesce(max(generation), 0) + 1 FROM ${schema}.projection WHERE name = $1
     RETURNING generation`,
    [name, version, live, live ? 'live' : 'building', projection.tables, ddlOf(projection)],
  );
  const made = { name, version, generation: rows[0]?.generation ?? 0 };
  for (const statement of projection.ddl(tableOf(schema, made))) await tx.query(statement);
  await tx.query(`UPDATE ${schema}.projection SET comparison = $3 WHERE name = $1 AND generation = $2`, [
    name,
    made.generation,
    keptComparison(schema, projection, made),
  ]);
  await copyParkings(tx, { schema, generation: made });
  return made;
};

/** Takes the views over to a generation's tables. The one before is kept, and may go on. */
export const showGeneration = async (
  tx: PoolClient,
  schema: string,
  projection: Projection,
  shown: Generation,
): Promise<void> => {
  for (const statement of projection.views(tableOf(schema, shown))) await tx.query(statement);
  const { name } = projection;
  await tx.query(
    `UPDATE ${schema}.projection SET live = false, stage = 'kept', held_for = NULL WHERE name = $1 AND live`,
    [name],
  );
  await tx.query(`UPDATE ${schema}.projection SET live = true, stage = 'live' WHERE name = $1 AND generation = $2`, [
    name,
    shown.generation,
  ]);
};

/** How far a generation is that is not shown. */
export const toStage = async (
  database: Pool | PoolClient,
  schema: string,
  of: Generation,
  stage: Exclude<Stage, 'live'>,
): Promise<void> => {
  await database.query(`UPDATE ${schema}.projection SET stage = $3 WHERE name = $1 AND generation = $2 AND NOT live`, [
    of.name,
    of.generation,
    stage,
  ]);
};

/** How long a reader of the old tables may be waited for while others wait behind us. */
const lockTimeoutMs = 1000;

/** Makes statements of the transaction that need a table to themselves give up soon, to be tried again. */
export const boundLocks = (tx: PoolClient): Promise<unknown> => tx.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);

/** What was live before, of any version. */
export const keptGenerations = async (pool: Pool, schema: string, name: string): Promise<readonly Standing[]> => {
  const { rows } = await pool.query<Standing>(`${standings(schema)} WHERE name = $1 AND stage = 'kept'`, [name]);
  return rows;
};

/** Generations of versions up to this one that are neither shown nor kept, and that no request is at work on. */
export const leftovers = async (pool: Pool, schema: string, projection: Projection): Promise<readonly Generation[]> => {
  const { rows } = await pool.query<Standing>(
    `${standings(schema)} p WHERE p.name = $1 AND p.stage NOT IN ('live', 'kept')
        AND (p.version = $2 OR p.version < (
              SELECT l.version FROM ${schema}.projection l WHERE l.name = p.name AND l.live))
        AND NOT EXISTS (SELECT FROM ${schema}.projection_request r
                         WHERE r.name = p.name AND r.generation = p.generation AND r.state <> ALL ($3))`,
    [projection.name, projection.version, finished],
  );
  return rows;
};

export const dropGeneration = async (tx: PoolClient, schema: string, dropped: Generation): Promise<void> => {
  const place = [dropped.name, dropped.generation];
  const { rows } = await tx.query<{ tables: readonly string[] }>(
    `SELECT tables FROM ${schema}.projection WHERE name = $1 AND generation = $2 AND NOT live`,
    place,
  );
  const table = tableOf(schema, dropped);
  await boundLocks(tx);
  for (const logical of rows[0]?.tables ?? []) await tx.query(`DROP TABLE IF EXISTS ${table(logical)}`);
  await tx.query(`DELETE FROM ${schema}.parked WHERE name = $1 AND generation = $2`, place);
  await tx.query(`DELETE FROM ${schema}.projection WHERE name = $1 AND generation = $2 AND NOT live`, place);
};

const passedPollMs = 100;

/** Whether all generations of a read model, also those that nobody sees, come to a position in time. */
export const passedByAll = async (
  pool: Pool,
  { schema, name }: Readonly<{ schema: string; name: string }>,
  position: Position,
  timeoutMs: number,
): Promise<boolean> => {
  const sql = `SELECT FROM ${schema}.projection WHERE name = $1 AND position < $2 LIMIT 1`;
  for (const deadline = performance.now() + timeoutMs; ; await pause(passedPollMs, AbortSignal.timeout(timeoutMs))) {
    if ((await pool.query(sql, [name, position])).rowCount === 0) return true;
    if (performance.now() > deadline) return false;
  }
};
