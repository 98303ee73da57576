import { timestampOf, type Batch, type Event, type EventStore, type Position } from '@causeway/event-sourcing';
import { holdLease, inTransaction, type Lease, type Pool, type PoolClient } from '@causeway/postgres';
import { tableOf, type Generation, type Projection } from './projection.ts';

/** Where a generation's rows are written, under which lease. */
export type Target = Readonly<{
  pool: Pool;
  schema: string;
  store: EventStore;
  projection: Projection;
  lease: Lease;
  generation: Generation;
}>;

/** The checkpoint is not where this runner left it: another one, or a switch, has been there. */
export class CheckpointMoved extends Error {}

/** An event that the projection cannot take. Nothing after it is projected. */
export class EventUnprojectable extends Error {
  constructor(
    readonly position: Position,
    readonly event: Readonly<{ id: string; type: string; stream: string }>,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Holds the checkpoint row until the transaction ends, and moves it: of two runners, the second finds it moved and
 * writes nothing.
 */
const moveCheckpoint = async (tx: PoolClient, target: Target, from: Position, batch: Batch): Promise<void> => {
  const newest = batch.events.at(-1);
  const { rowCount } = await tx.query({
    name: `${target.schema}.move_checkpoint`,
    text: `UPDATE ${target.schema}.projection
              SET position = $4, recorded_at = coalesce($5, recorded_at), failure = NULL, failed_position = NULL
            WHERE name = $1 AND generation = $2 AND position = $3`,
    values: [
      target.projection.name,
      target.generation.generation,
      from,
      batch.position,
      newest === undefined ? null : timestampOf(newest.recordedAt),
    ],
  });
  if (rowCount !== 1) throw new CheckpointMoved(`${target.projection.name}: no longer at ${from}`);
};

/** SQLSTATE classes of what lies in the data or in the statement; any other is the database's own trouble, and passes. */
const lasting = /^(21|22|23|42|P0)/;

/** What a projection threw, where trying again will not help. */
class Lasting extends Error {}

/** An error without a code is the fold's own, unless the connection is gone. */
const lasts = async (tx: PoolClient, error: unknown): Promise<boolean> => {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return lasting.test(code);
  return tx.query('SELECT 1').then(
    () => true,
    (after: { code?: unknown }) => after.code === inFailedTransaction,
  );
};
const inFailedTransaction = '25P02';

/** Rows and checkpoint, in the caller's transaction. */
export const writeIn = async (tx: PoolClient, target: Target, from: Position, batch: Batch): Promise<void> => {
  const { schema, projection, generation } = target;
  await moveCheckpoint(tx, target, from, batch);
  if (batch.events.length === 0) return;
  try {
    await projection.project(tx, tableOf(schema, generation), batch.events);
  } catch (error) {
    throw (await lasts(tx, error)) ? new Lasting('cannot be projected', { cause: error }) : error;
  }
};

/**
 * Moves the checkpoint where there is nothing to write, by one statement: most of a service's read models are shown every
 * page of a first sync and take nothing of it. It waits for no disk: what a crash takes away is passed over again. False:
 * not held or not there any more.
 */
const passOver = async ({ pool, schema, projection, generation, lease }: Target, from: Position, to: Position) => {
  const { rowCount } = await pool.query({
    name: `${schema}.pass_over`,
    text: `WITH held AS MATERIALIZED (
             SELECT set_config('synchronous_commit', 'off', true) FROM ${schema}.lease
              WHERE name = $5 AND epoch = $6 FOR SHARE)
           UPDATE ${schema}.projection SET position = $4, failure = NULL, failed_position = NULL
            WHERE name = $1 AND generation = $2 AND position = $3 AND EXISTS (SELECT FROM held)`,
    values: [projection.name, generation.generation, from, to, lease.name, lease.epoch],
  });
  return rowCount === 1;
};

const writeOnce = async (target: Target, from: Position, batch: Batch): Promise<void> => {
  if (batch.events.length === 0 && (await passOver(target, from, batch.position))) return;
  await inTransaction(target.pool, async (tx) => {
    await holdLease(tx, target.lease);
    await writeIn(tx, target, from, batch);
  });
};

/**
 * Commits rows and checkpoint together, or nothing. A batch that cannot be projected is tried again event by event, so
 * that all before the one that cannot are in, and that one is known.
 */
export const writeBatch = async (target: Target, from: Position, batch: Batch): Promise<void> => {
  try {
    await writeOnce(target, from, batch);
  } catch (error) {
    const [first, ...rest] = batch.events;
    if (!(error instanceof Lasting) || first === undefined) throw error;
    if (rest.length === 0) throw new EventUnprojectable(first.position, describe(first), error.cause);
    let position = from;
    for (const event of batch.events) {
      await writeBatch(target, position, { events: [event], position: event.position });
      position = event.position;
    }
    if (batch.position > position) await writeBatch(target, position, { events: [], position: batch.position });
  }
};

const describe = ({ id, type, stream }: Event & { id: string; stream: string }) => ({ id, type, stream });
