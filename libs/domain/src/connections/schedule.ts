export type LastRun = Readonly<{
  endedAt: string;
  /** Failed runs in a row, this one included. */
  failures: number;
  /** What the bank asked for when it refused; null when it did not. */
  retryAfterSeconds: number | null;
}>;

/** The first retry after a failure; each further one waits twice as long, up to the interval. */
const firstRetrySeconds = 60;
/** Keeps connections that were made together from all syncing in the same second. */
const jitterShare = 0.1;

/**
 * When the next run is due by itself, in milliseconds since 1970. `spread`: from 0 to 1, the same each time it is asked
 * for the same run.
 */
export const nextRunAt = (
  { endedAt, failures, retryAfterSeconds }: LastRun,
  intervalSeconds: number,
  spread: number,
) => {
  const backoff = failures === 0 ? intervalSeconds : firstRetrySeconds * 2 ** Math.min(failures - 1, 20);
  const pause = Math.min(intervalSeconds, backoff) * (1 + jitterShare * (2 * spread - 1));
  return Date.parse(endedAt) + Math.max(pause, retryAfterSeconds ?? 0) * 1000;
};
