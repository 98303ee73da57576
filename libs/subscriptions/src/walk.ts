import type { Batch, EventStore, Position } from '@causeway/event-sourcing';
import type { Logger } from '@causeway/observability';
import {
  holdLease,
  inTransaction,
  LeaseLost,
  runLeased,
  type Lease,
  type Pool,
  type PoolClient,
} from '@causeway/postgres';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { moveCheckpoint, readCheckpoint } from './checkpoint.ts';
import { sparingly } from './sparingly.ts';

export type WalkOptions = Readonly<{
  /** Names the lease and the checkpoint. */
  name: string;
  store: EventStore;
  pool: Pool;
  /** Of the service: `leaseMigrations` and `relayMigrations` made its tables. */
  schema: string;
  /** Events read at once. Those of two batches are held in memory. */
  batchEvents?: number;
  log: Logger;
}>;

export type WalkStatus = Readonly<{
  name: string;
  position: Position;
  /** Events between the checkpoint and the head of the store. */
  lag: number;
}>;

export type Walk = Readonly<{
  status(): Promise<WalkStatus>;
  /** Resolves when nothing runs any more, after 4 s at most: what was not finished comes again. */
  stop(): Promise<void>;
}>;

export type Run = Readonly<{
  /** Moves the checkpoint; `effects` are committed with it, or nothing is. */
  commit(position: Position, effects?: (tx: PoolClient) => Promise<void>): Promise<void>;
  /** Tells the log, unless the run is over: what its end cuts short is no fault. */
  fault(error: unknown): void;
  signal: AbortSignal;
}>;

/** One run from the checkpoint on. `take` deals with a batch and tells how far it got; `end` waits for what it began. */
export type Runner = Readonly<{
  take(batch: Batch, after: Position): Promise<Position>;
  end(): Promise<void>;
}>;

const batchEventsDefault = 200;
const backoffMs = 100;
const backoffMaxMs = 1000;
/** Walks stop beside each other, the bus before or after them: together they must fit the 10 s of a shutdown. */
const drainMs = 4000;

/** A catch-up subscription of which one process at a time is the runner. Faults are tried again with backoff, for ever. */
export const startWalk = (options: WalkOptions, begin: (run: Run) => Runner): Walk => {
  const { name, store, pool, schema, log } = options;
  const { signal, stop } = stopping();
  const backoff = startBackoff();
  const onFault = sparingly((err) => log.warn({ walk: name, err }, 'tried again later'));
  const work = async (lease: Lease, leased: AbortSignal): Promise<void> => {
    const commit: Run['commit'] = async (position, effects) => {
      if (effects === undefined) await moveCheckpoint(pool, lease, position);
      else await commitWith(pool, lease, position, effects);
      backoff.clear();
    };
    const fault = (error: unknown): void => {
      if (!leased.aborted && !(error instanceof LeaseLost)) onFault(error);
    };
    while (!leased.aborted) {
      await run(options, begin({ commit, fault, signal: leased }), leased).catch((error: unknown) => {
        if (error instanceof LeaseLost) throw error;
        fault(error);
      });
      await backoff.pause(leased);
    }
  };
  const walking = runLeased(pool, { schema, name, holder: randomUUID(), signal, onFault }, work);
  return {
    status: async () => {
      const position = await readCheckpoint(pool, options);
      return { name, position, lag: Math.max(0, (await store.head()) - position) };
    },
    stop: () => stop(walking),
  };
};

/** What a crash of the database takes away is taken from the checkpoint, too, and comes again: nobody waits for the disk. */
const commitWith = (
  pool: Pool,
  lease: Lease,
  position: Position,
  effects: (tx: PoolClient) => Promise<void>,
): Promise<void> =>
  inTransaction(pool, async (tx) => {
    await holdLease(tx, lease);
    await tx.query('SET LOCAL synchronous_commit = off');
    await effects(tx);
    await moveCheckpoint(tx, lease, position);
  });

const ahead = (store: EventStore, after: Position, limit: number): Promise<Batch> => {
  const reading = store.readAll(after, limit);
  // What it throws is thrown to whoever awaits it; this one only says that someone may.
  reading.catch(() => undefined);
  return reading;
};

/** Returns at the signal, and throws what stopped it before. */
const run = async (options: WalkOptions, runner: Runner, signal: AbortSignal): Promise<void> => {
  const { store, pool, batchEvents = batchEventsDefault } = options;
  try {
    let position = await readCheckpoint(pool, options);
    let reading = ahead(store, position, batchEvents);
    while (!signal.aborted) {
      const batch = await reading;
      // While a full batch is dealt with, the next one is read.
      const next = batch.position - position >= batchEvents ? ahead(store, batch.position, batchEvents) : undefined;
      if (batch.position > position) position = await runner.take(batch, position);
      else await store.changed(position, signal);
      reading = next !== undefined && position === batch.position ? next : ahead(store, position, batchEvents);
    }
  } finally {
    await runner.end();
  }
};

const startBackoff = () => {
  let failures = 0;
  return {
    clear: (): void => {
      failures = 0;
    },
    pause: async (signal: AbortSignal): Promise<void> => {
      const pauseMs = Math.min(backoffMs * 2 ** failures++, backoffMaxMs);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    },
  };
};

const stopping = () => {
  const controller = new AbortController();
  const stop = async (walking: Promise<void>): Promise<void> => {
    controller.abort();
    const done = new AbortController();
    await Promise.race([walking, sleep(drainMs, undefined, { signal: done.signal }).catch(() => undefined)]);
    done.abort();
  };
  return { signal: controller.signal, stop };
};
