import type { Pool } from 'pg';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { runLeased } from './lease.ts';

export type WorkListOptions<T> = Readonly<{
  pool: Pool;
  schema: string;
  /** Names the lease: one process at a time works the list. */
  name: string;
  /**
   * What there is to do as far as can be seen: may be stale, and may name what is in hand. While the view that shows it
   * has not been made yet, there is nothing.
   */
  list(): Promise<readonly T[]>;
  idOf(item: T): string;
  /** Deals with one item; what it throws is told to `onFault` and tried again later. Must heed the signal. */
  work(item: T, signal: AbortSignal): Promise<void>;
  /** Items in hand at once. */
  concurrencyMax: number;
  pollMs: number;
  onFault(error: unknown): void;
}>;

export type WorkList = Readonly<{
  /** Looks at the list at once instead of at the next poll. */
  wake(): void;
  /** Resolves when nothing is in hand any more, after 10 s at most. */
  stop(): Promise<void>;
}>;

/** After a fault an item rests for this long, twice as long after each further one. */
const restMs = 500;
const restMaxMs = 30_000;
const drainMs = 10_000;

/**
 * Works through what a read model shows as undone. What is to be done follows from the state alone, so it is taken up
 * again after a crash, whoever did it before; each item is in one hand at a time.
 */
export const startWorkList = <T>(options: WorkListOptions<T>): WorkList => {
  const { pool, schema, name, onFault, pollMs } = options;
  const stopping = new AbortController();
  const bell = { ring: (): void => undefined };
  const hands = handsFor(options, () => bell.ring());

  const round = async (signal: AbortSignal): Promise<void> => {
    const rung = new AbortController();
    bell.ring = () => rung.abort();
    for (const item of await options.list().catch(noneYet)) hands.take(item, signal);
    await sleep(pollMs, undefined, { signal: AbortSignal.any([signal, rung.signal]) }).catch(() => undefined);
  };

  const { signal } = stopping;
  const working = runLeased(pool, { schema, name, holder: randomUUID(), signal, onFault }, async (_, held) => {
    try {
      while (!held.aborted) await round(held);
    } finally {
      await hands.empty();
    }
  });
  return {
    wake: () => bell.ring(),
    stop: async () => {
      stopping.abort();
      const done = new AbortController();
      await Promise.race([working, sleep(drainMs, undefined, { signal: done.signal }).catch(() => undefined)]);
      done.abort();
    },
  };
};

const undefinedTable = '42P01';

const noneYet = (error: unknown): readonly never[] => {
  if ((error as { code?: unknown }).code === undefinedTable) return [];
  throw error;
};

type Rest = Readonly<{ faults: number; until: number }>;

const handsFor = <T>({ idOf, work, concurrencyMax, onFault }: WorkListOptions<T>, finished: () => void) => {
  const inHand = new Map<string, Promise<void>>();
  const resting = new Map<string, Rest>();

  const failed = (id: string, error: unknown): void => {
    onFault(error);
    const faults = (resting.get(id)?.faults ?? 0) + 1;
    resting.set(id, { faults, until: performance.now() + Math.min(restMs * 2 ** (faults - 1), restMaxMs) });
  };

  const take = (item: T, signal: AbortSignal): void => {
    const id = idOf(item);
    if (inHand.size >= concurrencyMax || inHand.has(id) || (resting.get(id)?.until ?? 0) > performance.now()) return;
    const done = work(item, signal)
      .then(
        () => void resting.delete(id),
        (error: unknown) => {
          if (!signal.aborted) failed(id, error);
        },
      )
      .finally(() => {
        inHand.delete(id);
        finished();
      });
    inHand.set(id, done);
  };

  return { take, empty: async () => void (await Promise.all(inHand.values())) };
};
