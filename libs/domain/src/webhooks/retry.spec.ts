import { afterAttempt, retryPausesMs, type AttemptOutcome, type NextStep } from './retry.ts';

const answered = (statusCode: number, retryAfterMs?: number): AttemptOutcome => ({
  kind: 'answered',
  statusCode,
  retryAfterMs,
});
const timedOut: AttemptOutcome = { kind: 'failed', error: 'timeout' };
const after = (number: number, outcome: AttemptOutcome, spread = 0): NextStep =>
  afterAttempt({ number, outcome, pausesMs: retryPausesMs, spread });
const retry = (inMs: number): NextStep => ({ kind: 'retry', inMs });
const minute = 60_000;
const hour = 60 * minute;

test('ten attempts: at once, then after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 5 h, 10 h, 10 h', () => {
  const steps = Array.from({ length: 10 }, (_, n) => after(n + 1, answered(500)));
  const pauses = [5000, 30_000, 2 * minute, 10 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];
  expect(steps).toEqual([...pauses.map(retry), { kind: 'exhausted' }]);
});

test.each<[string, NextStep, NextStep]>([
  ['any 2xx is a delivery', after(1, answered(204)), { kind: 'delivered' }],
  ['it still is at the last attempt', after(10, answered(200)), { kind: 'delivered' }],
  ['410 means that the receiver is gone', after(1, answered(410)), { kind: 'receiver_gone' }],
  ['a redirect is a failure', after(1, answered(302)), retry(5000)],
  ['no answer is a failure', after(2, timedOut), retry(30_000)],
  ['the pause varies by a fifth downwards', after(1, timedOut, -1), retry(4000)],
  ['and by a fifth upwards', after(1, timedOut, 1), retry(6000)],
  ['a longer Retry-After is honoured', after(1, answered(429, minute)), retry(minute)],
  ['a shorter one is not', after(3, answered(503, 1000)), retry(2 * minute)],
  ['one beyond ten hours counts as ten hours', after(1, answered(429, 1000 * hour)), retry(10 * hour)],
  ['it gives no eleventh attempt', after(10, answered(429, minute)), { kind: 'exhausted' }],
])('%s', (_rule, step, expected) => expect(step).toEqual(expected));
