/** A measure is as good as its round trip is short, and no better for being old: clocks drift. */
const keepMs = 60_000;

type Measure = Readonly<{ offsetMs: number; roundTripMs: number; atMs: number }>;

/**
 * The brokers' clock, as seen from here: each append is answered with the brokers' time of it. Two processes that
 * measure so agree to within half of their round trips, whatever their own clocks say. `now` counts on with a clock that
 * is never set; a process that was stopped for a while finds that the time has passed.
 */
export const brokerClock = (localMs: () => number = () => performance.now()) => {
  let best: Measure | undefined;

  const measured = (sentMs: number, answeredMs: number, appendedAt: number): void => {
    if (!(appendedAt > 0)) return;
    const roundTripMs = answeredMs - sentMs;
    if (best !== undefined && roundTripMs > best.roundTripMs && answeredMs - best.atMs < keepMs) return;
    best = { offsetMs: appendedAt - (sentMs + answeredMs) / 2, roundTripMs, atMs: answeredMs };
  };

  /** Milliseconds since 1970; undefined before the first measure. */
  const now = (): number | undefined => (best === undefined ? undefined : localMs() + best.offsetMs);
  return { measured, now, localMs };
};

export type BrokerClock = ReturnType<typeof brokerClock>;
