import type { Pool } from '@causeway/postgres';
import { pause } from '@causeway/concurrency';

/**
 * Events read at once. Larger batches bring no more speed; their rows, some megabytes, are in memory twice: while one
 * full batch is written, the next is read and decrypted.
 */
export const batchEvents = 4000;

/** A rebuild beside those who read and write: so many events a second, in bursts that nobody waits for long. */
const besideEventsPerSecond = 4500;
const besideBatchEvents = 250;
/** Transactions a second of others, above what an idle system does by itself: some 30. */
const othersPerSecond = 100;
/** Sessions add what they have done to the statistics once a second, so a look at less than that sees it in bursts. */
const lookEveryMs = 2000;
const quietAfterMs = lookEveryMs;
/** Of our own for each batch: one that reads, one that writes. */
const ownTransactions = 2;

export type Pace = Readonly<{
  /** Events to be read at once. */
  limit(): number;
  /** After a batch of so many events, which took so long. */
  rest(events: number, tookMs: number, signal: AbortSignal): Promise<void>;
}>;

/** All of the machine while nobody else wants it, else a share: told by what the database does beside this. */
export const considerate = (pool: Pool): Pace => {
  let looked = { atMs: -Infinity, transactions: Infinity };
  let own = 0;
  let busyAtMs = performance.now();

  const look = async (atMs: number): Promise<void> => {
    const { rows } = await pool.query<{ transactions: number }>(
      `SELECT xact_commit + xact_rollback AS transactions FROM pg_stat_database WHERE datname = current_database()`,
    );
    const transactions = Number(rows[0]?.transactions ?? 0);
    const others = transactions - looked.transactions - own;
    if (others * 1000 > othersPerSecond * (atMs - looked.atMs)) busyAtMs = atMs;
    looked = { atMs, transactions };
    own = 0;
  };
  const isQuiet = (): boolean => performance.now() - busyAtMs > quietAfterMs;

  return {
    limit: () => (isQuiet() ? batchEvents : besideBatchEvents),
    rest: async (events, tookMs, signal) => {
      own += ownTransactions;
      const now = performance.now();
      if (now - looked.atMs > lookEveryMs) await look(now);
      if (!isQuiet()) await pause(Math.max(0, (events / besideEventsPerSecond) * 1000 - tookMs), signal);
    },
  };
};
