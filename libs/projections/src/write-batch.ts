import {
  timestampOf,
  unreadable,
  type Batch,
  type EventStore,
  type Position,
  type Revision,
  type Sequenced,
  type StreamName,
} from '@causeway/event-sourcing';
import { inLease, isOutage, type Lease, type Pool, type PoolClient } from '@causeway/postgres';
import { endedBy, isParkingEvent, parkingOf, reasonOf, type Parking } from './parking.ts';
import { heldStreams, park, readParkings, saveParkings } from './parkings.ts';
import { tableOf, type Generation, type Projection } from './projection.ts';

/** Where a generation's rows are written, under which lease. */
export type Target = Readonly<{
  pool: Pool;
  schema: string;
  store: EventStore;
  projection: Projection;
  lease: Lease;
  generation: Generation;
  /** Only what others see is written to by who follows the events, and only what they do not by who builds it. */
  live: boolean;
  /** The request for which the live generation is held, by who may write to it all the same. */
  heldFor?: number;
  parked: Parked;
}>;

/** Streams of which a generation may not take events as they come; more than there are, never fewer. */
export type Parked = {
  streams: ReadonlySet<StreamName>;
  /** Hears of a stream that was parked. */
  onParked?: () => Promise<void>;
};

/** The checkpoint is not where this runner left it, or is held: another one, or a switch, has been there. */
export class CheckpointMoved extends Error {}

/**
 * Holds the checkpoint row until the transaction ends, and moves it: of two runners, the second finds it moved and
 * writes nothing.
 */
const moveCheckpoint = async (tx: PoolClient, target: Target, from: Position, batch: Batch): Promise<void> => {
  const newest = batch.events.at(-1);
  const { rowCount } = await tx.query({
    name: `${target.schema}.move_checkpoint`,
    text: `UPDATE ${target.schema}.projection
              SET position = $4, recorded_at = coalesce($5, recorded_at)
            WHERE name = $1 AND generation = $2 AND position = $3 AND live = $6 AND held_for IS NOT DISTINCT FROM $7`,
    values: [
      target.projection.name,
      target.generation.generation,
      from,
      batch.position,
      newest === undefined ? null : timestampOf(newest.recordedAt),
      target.live,
      target.heldFor ?? null,
    ],
  });
  if (rowCount !== 1) throw new CheckpointMoved(`${target.projection.name}: no longer at ${from}`);
};

/** SQLSTATE classes of what lies in the data; any other is the database's own trouble or the program's, and passes. */
const lasting = /^(21|22|23|54|P0)/;

/** What a projection threw, where trying again will not help. */
export class Lasting extends Error {}

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

const fold = async (tx: PoolClient, target: Target, events: readonly Sequenced[]): Promise<void> => {
  if (events.length === 0) return;
  try {
    if (events.some(({ type }) => type === unreadable.type)) throw new Error('does not decrypt');
    await target.projection.project(tx, tableOf(target.schema, target.generation), events);
  } catch (error) {
    throw (await lasts(tx, error)) ? new Lasting('cannot be projected', { cause: error }) : error;
  }
};

/** Held events read at once. */
const heldPage = 1000;

/** What was held back is folded as if it had come with the mend: at the head of every feed, in one commit. */
const bringUp = async (tx: PoolClient, target: Target, { stream, from, through }: Parking, mend: Sequenced) => {
  const { position, recordedAt } = mend;
  for (let after = from - 1; after < through;) {
    const read = target.store.readStream(stream, { after: after as Revision, limit: heldPage });
    const page = await read.catch((cause: unknown) => {
      throw isOutage(cause) ? cause : new Lasting('cannot be read', { cause });
    });
    const held = page.filter(({ revision }) => revision <= through);
    await fold(
      tx,
      target,
      held.map((event) => ({ ...event, position, recordedAt })),
    );
    after = held.at(-1)?.revision ?? through;
  }
};

/** A batch with events of parked streams, or of their mending. */
const foldAround = async (tx: PoolClient, target: Target, events: readonly Sequenced[]): Promise<void> => {
  const parkings = await readParkings(tx, target);
  const changed = new Set<Parking>();
  let free: Sequenced[] = [];
  for (const event of events) {
    const ended = endedBy(parkings, target.projection.name, event);
    const parking = ended ?? parkingOf(parkings, event);
    if (ended !== undefined) {
      await fold(tx, target, free);
      free = [];
      await bringUp(tx, target, ended, event);
      ended.mendedAt = event.position;
    } else if (parking !== undefined) parking.through = event.revision;
    else if (!isParkingEvent(event)) free.push(event);
    if (parking !== undefined) changed.add(parking);
  }
  await fold(tx, target, free);
  await saveParkings(tx, target, changed);
};

const isAround = ({ parked: { streams } }: Target, { events }: Batch): boolean =>
  events.some((event) => isParkingEvent(event) || (streams.size > 0 && streams.has(event.stream)));

/** Rows and checkpoint, in the caller's transaction. */
export const writeIn = async (tx: PoolClient, target: Target, from: Position, batch: Batch): Promise<void> => {
  await moveCheckpoint(tx, target, from, batch);
  await (isAround(target, batch) ? foldAround : fold)(tx, target, batch.events);
};

/**
 * Moves the checkpoint where there is nothing to write, by one statement: most of a service's read models are shown every
 * page of a first sync and take nothing of it. It waits for no disk: what a crash takes away is passed over again. False:
 * not held or not there any more.
 */
const passOver = async (target: Target, from: Position, to: Position): Promise<boolean> => {
  const { pool, schema, projection, generation, lease, live, heldFor = null } = target;
  const { rowCount } = await pool.query({
    name: `${schema}.pass_over`,
    text: `WITH held AS MATERIALIZED (
             SELECT set_config('synchronous_commit', 'off', true) FROM ${schema}.lease
              WHERE name = $5 AND epoch = $6 FOR KEY SHARE)
           UPDATE ${schema}.projection SET position = $4
            WHERE name = $1 AND generation = $2 AND position = $3 AND live = $7
              AND held_for IS NOT DISTINCT FROM $8 AND EXISTS (SELECT FROM held)`,
    values: [projection.name, generation.generation, from, to, lease.name, lease.epoch, live, heldFor],
  });
  return rowCount === 1;
};

const writeOnce = async (target: Target, from: Position, batch: Batch): Promise<void> => {
  if (batch.events.length === 0 && (await passOver(target, from, batch.position))) return;
  await inLease(target.pool, target.lease, async (tx) => {
    // What a crash of the database takes away is filled again; the switch waits for the disk.
    if (!target.live) await tx.query('SET LOCAL synchronous_commit = off');
    await writeIn(tx, target, from, batch);
  });
};

/** Parks the stream of an event that cannot be folded, or leaves parked what a mend cannot bring up; and goes on. */
const parkIn = async (tx: PoolClient, target: Target, { from, batch }: Step, error: unknown): Promise<void> => {
  const event = batch.events[0] as Sequenced;
  await moveCheckpoint(tx, target, from, batch);
  const ended = endedBy(await readParkings(tx, target), target.projection.name, event);
  const { stream, from: revision } = ended ?? { stream: event.stream, from: event.revision };
  await park(tx, target, { stream, from: revision, at: event.position, reason: reasonOf(event, error) });
};

type Step = Readonly<{ from: Position; batch: Batch }>;

/** In the caller's transaction all the same where an event cannot be folded: its stream is parked. */
export const writeOrParkIn = async (tx: PoolClient, target: Target, { from, batch }: Step): Promise<void> => {
  await tx.query('SAVEPOINT folding');
  try {
    await writeIn(tx, target, from, batch);
    await tx.query('RELEASE SAVEPOINT folding');
  } catch (error) {
    if (!(error instanceof Lasting)) throw error;
    await tx.query('ROLLBACK TO SAVEPOINT folding');
    if (batch.events.length <= 1) return parkIn(tx, target, { from, batch }, error.cause);
    for (const half of halves({ from, batch })) await writeOrParkIn(tx, target, half);
  }
};

/** After what may have changed it. */
export const lookForParked = async ({ pool, parked, ...of }: Target, position: Position): Promise<void> => {
  parked.streams = await heldStreams(pool, of, position);
};

/** Rows written at once: a statement under a lease has four seconds, and an event may be about a thousand rows. */
const rowsMax = 8000;

const isTooLarge = ({ projection: { rowsOf } }: Target, { events }: Batch): boolean =>
  rowsOf !== undefined && events.reduce((rows, event) => rows + rowsOf(event), 0) > rowsMax;

/** `query_canceled`: the statement had too much to do for its time. */
const isOutOfTime = (error: unknown): boolean => (error as { code?: unknown }).code === '57014';

/**
 * Commits rows and checkpoint together, or nothing. A batch that cannot be projected is tried again by halves, so that
 * the one event at fault is known, and all others are in.
 */
export const writeBatch = async (target: Target, from: Position, batch: Batch): Promise<void> => {
  const isOne = batch.events.length <= 1;
  if (!isOne && isTooLarge(target, batch)) return writeHalves(target, from, batch);
  try {
    await writeOnce(target, from, batch);
    if (isAround(target, batch)) await lookForParked(target, batch.position);
  } catch (error) {
    if (!isOne && (error instanceof Lasting || isOutOfTime(error))) return writeHalves(target, from, batch);
    if (!(error instanceof Lasting)) throw error;
    await inLease(target.pool, target.lease, (tx) => parkIn(tx, target, { from, batch }, error.cause));
    await lookForParked(target, batch.position);
    await target.parked.onParked?.();
  }
};

const halves = ({ from, batch: { events, position } }: Step): readonly Step[] => {
  const middle = events.length >> 1;
  const half = events.slice(0, middle);
  const between = (half.at(-1) as Sequenced).position;
  return [
    { from, batch: { events: half, position: between } },
    { from: between, batch: { events: events.slice(middle), position } },
  ];
};

const writeHalves = async (target: Target, from: Position, batch: Batch): Promise<void> => {
  for (const half of halves({ from, batch })) await writeBatch(target, half.from, half.batch);
};
