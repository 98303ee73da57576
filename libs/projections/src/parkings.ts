import type { EventStore, Position, Revision, StreamName } from '@causeway/event-sourcing';
import type { Pool, PoolClient } from '@causeway/postgres';
import { parkingStream, type Parking, type Parkings } from './parking.ts';
import type { Generation } from './projection.ts';

type Of = Readonly<{ schema: string; generation: Generation }>;

/** Streams that a generation at a position does not take as they come. Asked for before each batch: nearly always none. */
export const heldStreams = async (
  database: Pool | PoolClient,
  { schema, generation: { name, generation } }: Of,
  position: Position,
): Promise<ReadonlySet<StreamName>> => {
  const { rows } = await database.query<Pick<Parking, 'stream'>>(
    `SELECT stream FROM ${schema}.parked WHERE name = $1 AND generation = $2 AND (mended_at IS NULL OR mended_at > $3)`,
    [name, generation, position],
  );
  return new Set(rows.map(({ stream }) => stream));
};

export const readParkings = async (tx: PoolClient, { schema, generation }: Of): Promise<Parkings> => {
  const { rows } = await tx.query<Parking>(
    `SELECT stream, from_revision AS "from", through, tried_at AS "triedAt", mended_at AS "mendedAt"
       FROM ${schema}.parked WHERE name = $1 AND generation = $2 ORDER BY stream, from_revision`,
    [generation.name, generation.generation],
  );
  const parkings = new Map<StreamName, Parking[]>();
  for (const row of rows) parkings.set(row.stream, [...(parkings.get(row.stream) ?? []), row]);
  return parkings;
};

export const saveParkings = async (
  tx: PoolClient,
  { schema, generation: { name, generation } }: Of,
  changed: Iterable<Parking>,
): Promise<void> => {
  for (const { stream, from, through, mendedAt } of changed) {
    await tx.query(
      `UPDATE ${schema}.parked SET through = $5, mended_at = $6
        WHERE name = $1 AND generation = $2 AND stream = $3 AND from_revision = $4`,
      [name, generation, stream, from, through, mendedAt],
    );
  }
};

/** From a revision on, of what `at` a position could not be folded; what was known of later ones is part of it now. */
export const park = async (
  tx: PoolClient,
  { schema, generation: { name, version, generation } }: Of,
  { stream, from, at, reason }: Pick<Parking, 'stream' | 'from'> & Readonly<{ at: Position; reason: string }>,
): Promise<void> => {
  const place = [name, generation, stream, from];
  await tx.query(
    `DELETE FROM ${schema}.parked WHERE name = $1 AND generation = $2 AND stream = $3 AND from_revision > $4`,
    place,
  );
  await tx.query(
    `INSERT INTO ${schema}.parked AS p
       (name, generation, stream, from_revision, through, position, tried_at, version, reason)
     VALUES ($1, $2, $3, $4, $4, $5, $5, $6, $7)
     ON CONFLICT (name, generation, stream, from_revision) DO UPDATE
       SET tried_at = $5, mended_at = NULL, version = $6, reason = $7, told = false, attempts = p.attempts + 1,
           last_failed_at = clock_timestamp()`,
    [...place, at, version, reason],
  );
};

/** To a new generation, from the live one. */
export const copyParkings = async (tx: PoolClient, { schema, generation }: Of): Promise<void> => {
  const rest = `stream, from_revision, through, position, tried_at, mended_at, version, reason, told, attempts,
                since, last_failed_at`;
  await tx.query(
    `INSERT INTO ${schema}.parked (name, generation, ${rest})
     SELECT name, $2, ${rest} FROM ${schema}.parked WHERE name = $1 AND generation = (
       SELECT generation FROM ${schema}.projection WHERE name = $1 AND live)`,
    [generation.name, generation.generation],
  );
};

/**
 * How a generation that has come to `position` differs from the live one in what it holds or held back. `live`: streams
 * of which it shows what the live one does not, under times that clients have gone past. `own`: of which it shows less.
 */
export const differingParkings = async (
  database: Pool | PoolClient,
  { schema, generation: { name, generation } }: Of,
  position: Position,
): Promise<Readonly<{ live: readonly string[]; own: readonly string[] }>> => {
  const { rows } = await database.query<{ stream: string; live: boolean; reason: string }>(
    `WITH live AS (
       SELECT generation, least(position, $3) AS position FROM ${schema}.projection WHERE name = $1 AND live
     ), known AS (
       SELECT p.generation, p.stream, p.from_revision, p.reason,
              CASE WHEN p.mended_at <= l.position THEN p.mended_at END AS mended_at
         FROM ${schema}.parked p, live l WHERE p.name = $1 AND p.position <= l.position
     )
     SELECT k.stream, k.reason, k.generation <> $2 AS live
       FROM known k, live l
      WHERE k.generation IN ($2, l.generation) AND NOT EXISTS (
        SELECT FROM known o WHERE o.generation IN ($2, l.generation) AND o.generation <> k.generation
           AND (o.stream, o.from_revision) = (k.stream, k.from_revision)
           AND o.mended_at IS NOT DISTINCT FROM k.mended_at)`,
    [name, generation, position],
  );
  const differing = (live: boolean) => rows.filter((row) => row.live === live).map((r) => `${r.stream} (${r.reason})`);
  return { live: differing(true), own: differing(false) };
};

export type ParkedStream = Readonly<{
  projection: string;
  version: number;
  generation: number;
  live: boolean;
  stream: StreamName;
  from: Revision;
  reason: string;
  attempts: number;
  since: string;
  lastFailedAt: string;
  told: boolean;
}>;

/** What waits to be mended in the read models of a service. */
export const parkedStreams = async (database: Pool | PoolClient, schema: string): Promise<readonly ParkedStream[]> => {
  const { rows } = await database.query<ParkedStream>(
    `SELECT p.name AS projection, p.version, p.generation, g.live, p.stream, p.from_revision AS "from", p.reason,
            p.attempts, p.since, p.last_failed_at AS "lastFailedAt", p.told
       FROM ${schema}.parked p JOIN ${schema}.projection g USING (name, generation)
      WHERE p.mended_at IS NULL ORDER BY p.since, p.stream`,
  );
  return rows;
};

/** So that it is neither told again nor tried again by the same version. */
export const sayTold = async (
  pool: Pool,
  schema: string,
  { projection, generation, stream, version }: ParkedStream,
) => {
  await pool.query(
    `UPDATE ${schema}.parked SET told = true, version = $4
      WHERE name = $1 AND generation = $2 AND stream = $3 AND mended_at IS NULL`,
    [projection, generation, stream, version],
  );
};

/** Whether a read model that others see holds back events of one of these. */
export const isParked = async (
  database: Pool | PoolClient,
  schema: string,
  streams: readonly string[],
): Promise<boolean> => {
  const { rowCount } = await database.query({
    name: `${schema}.is_parked`,
    text: `SELECT FROM ${schema}.parked p JOIN ${schema}.projection g USING (name, generation)
            WHERE g.live AND p.mended_at IS NULL AND p.stream = ANY ($1) LIMIT 1`,
    values: [streams],
  });
  return rowCount !== 0;
};

/** To be called when a stream is erased: what was said of its parking goes with it. Safe to repeat. */
export const eraseParking = async (
  { pool, store }: Readonly<{ pool: Pool; store: EventStore }>,
  schema: string,
  stream: StreamName,
): Promise<void> => {
  const { rowCount } = await pool.query(`SELECT FROM ${schema}.parked WHERE stream = $1 LIMIT 1`, [stream]);
  if (rowCount === 0) return;
  await store.eraseStream(parkingStream(stream));
  await pool.query(`DELETE FROM ${schema}.parked WHERE stream = $1`, [stream]);
};
