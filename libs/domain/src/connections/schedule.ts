export type LastRun = Readonly<{
  runId: string;
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
 * Since when a wait runs that began at `recorded`, in milliseconds since 1970. A time ahead of the clock counts as now;
 * one further ahead than the wait itself was recorded by a wrong clock, and holds nothing up.
 */
export const heldSince = (recorded: string, nowMs: number, waitMs: number): number => {
  const at = Date.parse(recorded);
  return at - nowMs > waitMs ? nowMs - waitMs : Math.min(at, nowMs);
};

type Asked = Readonly<{
  intervalSeconds: number;
  /** From 0 to 1, the same each time it is asked for the same run. */
  spread: number;
  nowMs: number;
}>;

/** When the next run is due by itself, in milliseconds since 1970. */
export const nextRunAt = (
  { endedAt, failures, retryAfterSeconds }: LastRun,
  { intervalSeconds, spread, nowMs }: Asked,
) => {
  const backoff = failures === 0 ? intervalSeconds : firstRetrySeconds * 2 ** Math.min(failures - 1, 20);
  const pause = Math.min(intervalSeconds, backoff) * (1 + jitterShare * (2 * spread - 1));
  const pauseMs = Math.max(pause, retryAfterSeconds ?? 0) * 1000;
  return heldSince(endedAt, nowMs, pauseMs) + pauseMs;
};
