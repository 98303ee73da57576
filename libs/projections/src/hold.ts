import { inLease, type Pool } from '@causeway/postgres';
import type { Position } from '@causeway/event-sourcing';
import { boundLocks, liveGeneration, type Standing } from './generation.ts';
import { leaseName } from './projection.ts';
import { finished, type ProjectionRequest } from './requests.ts';
import type { Target } from './write-batch.ts';

/** The live rows are of a newer version, or have held back since what the new ones show. */
export class Overtaken extends Error {}

/** Somebody else holds the live generation. */
export class Held extends Error {}

/**
 * Has the live checkpoint stand still for a request, over crashes, until it is released or another generation is shown.
 * Safe to repeat.
 */
export const hold = (target: Target, request: Pick<ProjectionRequest, 'id' | 'kind'>): Promise<Position> => {
  const { pool, schema, projection, lease } = target;
  const { id, kind } = request;
  return inLease(pool, lease, async (tx) => {
    await boundLocks(tx);
    const live = await liveGeneration(tx, schema, projection.name, 'FOR UPDATE');
    if (live === undefined || (live.version > projection.version && kind !== 'rollback')) {
      throw new Overtaken(`${projection.name}: a newer version is live`);
    }
    if (live.heldFor !== null && live.heldFor !== id) throw new Held(`${projection.name}: held for another request`);
    const { rowCount } = await tx.query(
      `UPDATE ${schema}.projection p SET held_for = r.id FROM ${schema}.projection_request r
        WHERE p.name = $1 AND p.live AND r.id = $2 AND r.state <> ALL ($3)`,
      [projection.name, id, finished],
    );
    if (rowCount !== 1) throw new Overtaken(`${projection.name}: the request was given up`);
    return live.position;
  });
};

/** The live generation goes on, unless corrections were recorded. */
export const release = async (pool: Pool, schema: string, id: number): Promise<void> => {
  await pool.query(
    `UPDATE ${schema}.projection SET held_for = NULL
      WHERE held_for = $1 AND NOT EXISTS (
        SELECT FROM ${schema}.projection_request WHERE id = $1 AND state = 'correcting')`,
    [id],
  );
};

/** For so long after its runner has ended a request is waited for: whoever restarts a process needs some of it. */
const abandonedAfterSeconds = 30;

/**
 * Ends a hold that nobody will end: its request is done, or no process of the version that it needs is left. What it has
 * recorded by then stays, and is folded like any event.
 */
export const endAbandonedHold = async (pool: Pool, schema: string, live: Standing): Promise<void> => {
  if (live.heldFor === null) return;
  await pool.query(
    `WITH held AS (
       SELECT r.id, r.name FROM ${schema}.projection_request r
         LEFT JOIN ${schema}.projection g ON g.name = r.name AND g.generation = r.generation
         LEFT JOIN ${schema}.lease l ON l.name = $2 || coalesce(g.version::text, '')
        WHERE r.id = $1 AND (r.state = ANY ($3) OR g.version IS NULL
              OR coalesce(l.expires_at, 'epoch') < clock_timestamp() - $4 * interval '1 second')
     ), given_up AS (
       UPDATE ${schema}.projection_request r SET state = 'failed', detail = 'no process of its version is left'
         FROM held WHERE r.id = held.id AND r.state <> ALL ($3)
     )
     UPDATE ${schema}.projection p SET held_for = NULL FROM held WHERE p.name = held.name AND p.held_for = held.id`,
    [live.heldFor, leaseName(live.name, ''), finished, abandonedAfterSeconds],
  );
};
