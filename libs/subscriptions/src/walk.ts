import { pause, within } from '@causeway/concurrency';
import type { Batch, EventStore, Position } from '@causeway/event-sourcing';
import type { Logger } from '@causeway/observability';
import { inLease, LeaseLost, runLeased, type Lease, type Pool, type PoolClient } from '@causeway/postgres';
import { randomUUID } from 'node:crypto';
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
  signal: AbortSignal;
}>;

/** Deals with a batch and tells how far it got. */
export type Take = (batch: Batch, after: Position, run: Run) => Promise<Position>;

const batchEventsDefault = 200;
const backoffMs = 100;
const backoffMaxMs = 1000;
/** Walks stop beside each other, the bus before or after them: together they must fit the 10 s of a shutdown. */
const drainMs = 4000;

/** A catch-up subscription of which one process at a time is the runner. Faults are tried again with backoff, for ever. */
export const startWalk = (options: WalkOptions, take: Take): Walk => {
  const { name, store, pool, schema, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let failures = 0;
  const onFault = sparingly((err) => log.warn({ walk: name, err }, 'tried again later'));
  const work = async (lease: Lease, leased: AbortSignal): Promise<void> => {
    const commit: Run['commit'] = async (position, effects) => {
      if (effects === undefined) await moveCheckpoint(pool, lease, position);
      else
        await inLease(pool, lease, async (tx) => {
          await effects(tx);
          await moveCheckpoint(tx, lease, position);
        });
      failures = 0;
    };
    while (!leased.aborted) {
      await catchUp(options, take, { commit, signal: leased }).catch((error: unknown) => {
        if (error instanceof LeaseLost) throw error;
        if (!leased.aborted) onFault(error);
      });
      await pause(Math.min(backoffMs * 2 ** failures++, backoffMaxMs), leased);
    }
  };
  const walking = runLeased(pool, { schema, name, holder: randomUUID(), signal, onFault }, work);
  return {
    status: async () => {
      const position = await readCheckpoint(pool, options);
      return { name, position, lag: Math.max(0, (await store.head()) - position) };
    },
    stop: async () => {
      stopping.abort();
      await within(drainMs, walking);
    },
  };
};

const ahead = (store: EventStore, after: Position, limit: number): Promise<Batch> => {
  const reading = store.readAll(after, limit);
  // What it throws is thrown to whoever awaits it; this one only says that someone may.
  reading.catch(() => undefined);
  return reading;
};

/** From the checkpoint on. Returns at the signal, and throws what stopped it before. */
const catchUp = async (options: WalkOptions, take: Take, run: Run): Promise<void> => {
  const { store, pool, batchEvents = batchEventsDefault } = options;
  const { signal } = run;
  let position = await readCheckpoint(pool, options);
  let reading = ahead(store, position, batchEvents);
  while (!signal.aborted) {
    const batch = await reading;
    // While a full batch is dealt with, the next one is read.
    const next = batch.position - position >= batchEvents ? ahead(store, batch.position, batchEvents) : undefined;
    if (batch.position > position) position = await take(batch, position, run);
    const isTaken = position === batch.position;
    // After the end there is nothing to be read until something has come.
    if (isTaken && next === undefined) await store.changed(position, signal);
    reading = isTaken && next !== undefined ? next : ahead(store, position, batchEvents);
  }
};
