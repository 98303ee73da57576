import { pause } from '@causeway/concurrency';
import { beginning, type Position, type StreamName } from '@causeway/event-sourcing';
import { inLease, inTransaction, patiently } from '@causeway/postgres';
import { catchUp } from './catch-up.ts';
import { boundLocks, createGeneration, dropGeneration, liveGeneration, showGeneration, toStage } from './generation.ts';
import { differingParkings } from './parkings.ts';
import { tableOf, type Generation } from './projection.ts';
import { batchEvents, considerate } from './pace.ts';
import { Lasting, lookForParked, writeIn, type Target } from './write-batch.ts';

export type Place = Omit<Target, 'generation' | 'live' | 'parked'>;

type Build = Readonly<{
  signal: AbortSignal;
  /** The end, when it is not the end there is then. */
  until?: Position;
  moved?: (position: Position) => void;
  indexing?: () => Promise<void>;
}>;

/** An empty generation beside the live one. */
export const beginGeneration = async (place: Place): Promise<Target> => {
  const { pool, schema, projection, lease } = place;
  const generation = await inLease(pool, lease, (tx) => createGeneration(tx, schema, projection, false));
  const target = { ...place, generation, live: false, parked: { streams: new Set<StreamName>() } };
  await lookForParked(target, beginning);
  return target;
};

/** More than PostgreSQL's default, for the minute that an index takes; a sort in memory is several times faster. */
const indexMemory = '256MB';

/** Outside the lease: it takes longer than the lease can be held in one transaction, and touches nothing that is live. */
const makeIndexes = ({ pool, schema, projection, generation }: Target): Promise<void> =>
  inTransaction(pool, async (tx) => {
    const table = tableOf(schema, generation);
    await tx.query(`SET LOCAL maintenance_work_mem = '${indexMemory}'`);
    // The other cores stay with those who read.
    await tx.query('SET LOCAL max_parallel_maintenance_workers = 0');
    for (const statement of projection.indexes(table)) await patiently(tx, statement);
    for (const logical of projection.tables) await patiently(tx, `ANALYZE ${table(logical)}`);
  });

/**
 * Brings a generation to within one batch of the end. Not to the end itself: where events come in all the time, that is
 * never reached.
 */
export const approach = async (
  target: Target,
  from: Position,
  walk: Pick<Build, 'signal' | 'moved'>,
): Promise<Position> => {
  let position = from;
  for (let end = await target.store.head(); end - position > batchEvents; end = await target.store.head()) {
    position = await catchUp(target, position, { ...walk, until: end });
    walk.signal.throwIfAborted();
  }
  return position;
};

/**
 * Fills a new generation from the first event to `until`, or to the end there is about now. Indexes come after the bulk
 * of the rows: kept up row by row, they would be most of the work.
 */
export const fill = async (target: Target, { signal, until, moved, indexing }: Build): Promise<Position> => {
  const pace = considerate(target.pool);
  const walk = { signal, until: until ?? (await target.store.head()), pace, ...(moved && { moved }) };
  const position = await catchUp(target, beginning, walk);
  signal.throwIfAborted();
  await indexing?.();
  await toStage(target.pool, target.schema, target.generation, 'indexing');
  await makeIndexes(target);
  await toStage(target.pool, target.schema, target.generation, 'ready');
  return until === undefined ? approach(target, position, walk) : position;
};

/** `lock_not_available`: a reader of the views was still at work when the time was up. Or an event was just parked. */
const isAgain = (error: unknown): boolean => (error as { code?: unknown }).code === '55P03' || error instanceof Lasting;
const lockPauseMs = 250;

/** Tries again while tables are in use, until the signal. */
export const whenFree = async (signal: AbortSignal, work: () => Promise<void>): Promise<void> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isAgain(error)) throw error;
    }
    await pause(lockPauseMs, signal);
    signal.throwIfAborted();
  }
};

/** The live rows are of a newer version, or have held back since what the new ones show: to be filled anew. */
class Overtaken extends Error {}

/**
 * Makes a filled generation the live one. While it does, the live checkpoint stands still; the new one is brought to it
 * or past it first, so that no reader ever sees the projection go back.
 */
export const switchTo = async (target: Target, from: Position, signal: AbortSignal): Promise<void> => {
  const { pool, schema, store, projection, lease, generation } = target;
  let position = from;
  await whenFree(signal, async () => {
    position = await approach(target, position, { signal });
    position = await catchUp(target, position, { signal, until: await store.head() });
    await inLease(pool, lease, async (tx) => {
      await boundLocks(tx);
      const live = await liveGeneration(tx, schema, projection.name, 'FOR UPDATE');
      let at = position;
      while (live !== undefined && at < live.position) {
        const batch = await store.readAll(at, batchEvents);
        await writeIn(tx, target, at, batch);
        at = batch.position;
      }
      const differing = await differingParkings(tx, target, at);
      if ((live?.version ?? 0) > projection.version || differing.live.length > 0) {
        throw new Overtaken(`${projection.name}: not what the live rows show: ${differing.live.join(', ')}`);
      }
      await showGeneration(tx, schema, projection, generation);
    });
  });
};

export const drop = ({ pool, schema, projection, lease }: Place, dropped: Generation, signal: AbortSignal) =>
  whenFree(signal, () => inLease(pool, lease, (tx) => dropGeneration(tx, schema, projection, dropped)));
