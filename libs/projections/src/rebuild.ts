import { pause } from '@causeway/concurrency';
import { beginning, type Position, type StreamName } from '@causeway/event-sourcing';
import { holdLease, inLease, inTransaction, patiently, type Pool, type PoolClient } from '@causeway/postgres';
import { catchUp } from './catch-up.ts';
import { dropGeneration, liveGeneration, standingOf, toStage, type Standing } from './generation.ts';
import { Held } from './hold.ts';
import { tableOf, type Generation } from './projection.ts';
import { batchEvents, considerate, type Pace } from './pace.ts';
import { Lasting, lookForParked, type Target } from './write-batch.ts';

export type Place = Omit<Target, 'generation' | 'live' | 'parked'>;

type Build = Readonly<{
  signal: AbortSignal;
  /** The end, when it is not where the live rows are then. */
  until?: Position;
  moved?: (position: Position) => void;
  indexing?: () => Promise<void>;
}>;

type Walk = Pick<Build, 'signal' | 'moved'> & Readonly<{ pace?: Pace }>;

/** A generation beside the live one, to be written to. */
export const beside = async (place: Place, generation: Generation): Promise<Target> => {
  const target = { ...place, generation, live: false, parked: { streams: new Set<StreamName>() } };
  await lookForParked(target, (await standing(target)).position);
  return target;
};

const standing = async ({ pool, schema, generation }: Target): Promise<Standing> => {
  const found = await standingOf(pool, schema, generation);
  if (found === undefined) throw new Error(`${generation.name}: the generation ${generation.generation} is gone`);
  return found;
};

const livePosition = async ({ pool, schema, projection }: Target): Promise<Position> =>
  (await liveGeneration(pool, schema, projection.name))?.position ?? beginning;

/** More than PostgreSQL's default, for the minute that an index takes; a sort in memory is several times faster. */
const indexMemory = '256MB';
/** A server goes on with a statement whose client was killed, and keeps its locks, unless it looks for the client. */
const lookForClient = '1s';

type Ended = Readonly<{ pool: Pool; tx: PoolClient; signal: AbortSignal }>;

/** What the session does ends with the signal. */
const endedBy = async ({ pool, tx, signal }: Ended, work: () => Promise<void>): Promise<void> => {
  const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const cancel = (): void => void pool.query('SELECT pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    signal.throwIfAborted();
    await work();
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

/**
 * The lease is only looked at when all is done: it takes longer than it can be held in one transaction, and touches
 * nothing that is live.
 */
const makeIndexes = ({ pool, schema, projection, generation, lease }: Target, signal: AbortSignal): Promise<void> =>
  inTransaction(pool, async (tx) => {
    const table = tableOf(schema, generation);
    await tx.query(`SET LOCAL client_connection_check_interval = '${lookForClient}'`);
    await tx.query(`SET LOCAL maintenance_work_mem = '${indexMemory}'`);
    // The other cores stay with those who read.
    await tx.query('SET LOCAL max_parallel_maintenance_workers = 0');
    await endedBy({ pool, tx, signal }, async () => {
      for (const statement of projection.indexes(table)) await patiently(tx, statement);
      for (const logical of projection.tables) await patiently(tx, `ANALYZE ${table(logical)}`);
    });
    await holdLease(tx, lease);
    await toStage(tx, schema, generation, 'ready');
  });

/**
 * Brings a generation to within one batch of the live rows, and never past them. Not all the way: where events come in
 * all the time, they are never reached.
 */
export const approach = async (target: Target, from: Position, walk: Walk): Promise<Position> => {
  let position = from;
  for (let end = await livePosition(target); end - position > batchEvents; end = await livePosition(target)) {
    position = await catchUp(target, position, { ...walk, until: end });
    walk.signal.throwIfAborted();
  }
  return position;
};

/** Exactly to a position, unless it is past that. */
export const reach = async (target: Target, until: Position, signal: AbortSignal): Promise<void> => {
  for (let { position } = await standing(target); position < until;) {
    const from = position;
    position = await catchUp(target, from, { signal, until });
    signal.throwIfAborted();
    if (position === from) await target.store.changed(from, signal);
  }
};

/**
 * Fills a generation from where it stands to `until`, or to about where the live rows are. Indexes come after the bulk of
 * the rows: kept up row by row, they would be most of the work.
 */
export const fill = async (target: Target, { signal, until, moved, indexing }: Build): Promise<Position> => {
  const pace = considerate(target.pool);
  const walk = { signal, pace, ...(moved && { moved }) };
  let { position, stage } = await standing(target);
  if (stage === 'building') {
    position = await catchUp(target, position, { ...walk, until: until ?? (await livePosition(target)) });
    signal.throwIfAborted();
    await toStage(target.pool, target.schema, target.generation, (stage = 'indexing'));
  }
  if (stage === 'indexing') {
    await indexing?.();
    await makeIndexes(target, signal);
  }
  return until === undefined ? approach(target, position, walk) : position;
};

/** `lock_not_available`: a reader of the views was still at work when the time was up. Or an event was just parked. */
export const isAgain = (error: unknown): boolean =>
  (error as { code?: unknown }).code === '55P03' || error instanceof Lasting || error instanceof Held;
const lockPauseMs = 250;

/** Tries again while tables are in use, until the signal. */
export const whenFree = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
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

export const drop = ({ pool, schema, lease }: Place, dropped: Generation, signal: AbortSignal): Promise<void> =>
  whenFree(signal, () => inLease(pool, lease, (tx) => dropGeneration(tx, schema, dropped)));
