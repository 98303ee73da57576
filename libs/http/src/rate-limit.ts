/** What a bucket says of one request. Times in whole seconds, rounded up. */
export type Allowance = Readonly<{
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Until the bucket is full again. */
  resetSeconds: number;
  /** Until the next request is allowed; 0 when this one was. */
  retryAfterSeconds: number;
}>;

export type RateLimit = Readonly<{
  take(key: string): Allowance;
  /** What `take` would say, without taking. */
  look(key: string): Allowance;
}>;

type Bucket = { tokens: number; at: number };

/** Full buckets say nothing. They are looked for when the map has grown to this many, and then to twice what was left. */
const bucketsBeforeSweep = 10_000;

/** A token bucket per key: `perSecond` tokens flow in, at most `burst` stay. `nowMs` never goes back. */
export const tokenBuckets = (perSecond: number, burst: number, nowMs: () => number): RateLimit => {
  const buckets = new Map<string, Bucket>();
  let sweepAt = bucketsBeforeSweep;

  const refilled = (bucket: Bucket, now: number): number =>
    Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);

  const dropFull = (now: number): void => {
    for (const [key, bucket] of buckets) if (refilled(bucket, now) >= burst) buckets.delete(key);
    sweepAt = Math.max(bucketsBeforeSweep, 2 * buckets.size);
  };

  const weigh = (key: string, cost: 0 | 1): Allowance => {
    const now = nowMs();
    const bucket = buckets.get(key);
    const tokens = bucket === undefined ? burst : refilled(bucket, now);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - cost : tokens;
    if (cost === 1) {
      if (bucket === undefined && buckets.size >= sweepAt) dropFull(now);
      buckets.set(key, { tokens: left, at: now });
    }
    return {
      allowed,
      limit: burst,
      remaining: Math.floor(left),
      resetSeconds: Math.ceil((burst - left) / perSecond),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond)),
    };
  };

  return { take: (key) => weigh(key, 1), look: (key) => weigh(key, 0) };
};
