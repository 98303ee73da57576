const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Pauses before the second attempt, the third, …; after the last of them a delivery is exhausted. 28 h in all. */
export const retryPausesMs: readonly number[] = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
];

/** A receiver all of whose deliveries failed for this long is disabled. */
export const failingMaxMs = 5 * 24 * hour;

/** For how long a secret that was rotated away signs beside the new one: its receivers' time to change over. */
export const oldSecretSignsMs = 24 * hour;

/** So that receivers that failed together are not asked again together. */
const jitter = 0.2;
/** A receiver may ask for more time than the schedule gives it, but not for so much that a delivery never ends. */
const retryAfterMaxMs = 10 * hour;

/** `answered`: the receiver's status. `failed`: no answer that counts, and why. */
export type AttemptOutcome =
  | Readonly<{ kind: 'answered'; statusCode: number; retryAfterMs: number | undefined }>
  | Readonly<{ kind: 'failed'; error: string }>;

export type NextStep =
  Readonly<{ kind: 'delivered' | 'exhausted' | 'receiver_gone' }> | Readonly<{ kind: 'retry'; inMs: number }>;

type Attempt = Readonly<{
  /** From 1: its place in the schedule. */
  number: number;
  outcome: AttemptOutcome;
  pausesMs: readonly number[];
  /** From -1 to 1: where in the jitter's range this retry falls. */
  spread: number;
}>;

/** What comes after an attempt. Redirects are not followed: they are failures, like everything that is not 2xx. */
export const afterAttempt = ({ number, outcome, pausesMs, spread }: Attempt): NextStep => {
  if (outcome.kind === 'answered') {
    if (outcome.statusCode >= 200 && outcome.statusCode < 300) return { kind: 'delivered' };
    if (outcome.statusCode === 410) return { kind: 'receiver_gone' };
  }
  const pauseMs = pausesMs[number - 1];
  if (pauseMs === undefined) return { kind: 'exhausted' };
  const asked = outcome.kind === 'answered' ? Math.min(outcome.retryAfterMs ?? 0, retryAfterMaxMs) : 0;
  return { kind: 'retry', inMs: Math.max(Math.round(pauseMs * (1 + jitter * spread)), asked) };
};
