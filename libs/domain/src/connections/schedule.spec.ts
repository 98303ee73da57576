import { nextRunAt } from './schedule.ts';

const endedAt = '2026-03-01T10:00:00.000Z';
const runId = 'run-1';
const hour = 3600;
const endedMs = Date.parse(endedAt);
const secondsUntil = (failures: number, retryAfterSeconds: number | null, intervalSeconds: number, spread = 0.5) =>
  (nextRunAt({ runId, endedAt, failures, retryAfterSeconds }, { intervalSeconds, spread, nowMs: endedMs }) - endedMs) /
  1000;
/** Of a run that ended so many seconds ahead of the clock, counted from the clock. */
const secondsFromClock = (aheadSeconds: number) => {
  const [last, nowMs] = [{ runId, endedAt, failures: 0, retryAfterSeconds: null }, endedMs - aheadSeconds * 1000];
  return (nextRunAt(last, { intervalSeconds: hour, spread: 0.5, nowMs }) - nowMs) / 1000;
};

test.each([
  ['a run that succeeded is followed after the interval', secondsUntil(0, null, hour), hour],
  ['a failure is tried again after a minute', secondsUntil(1, null, hour), 60],
  ['the third failure waits four minutes', secondsUntil(3, null, hour), 240],
  ['no failure waits longer than the interval', secondsUntil(40, null, hour), hour],
  ['a short interval is kept after a failure, too', secondsUntil(1, null, 2), 2],
  ['a bank that asks for more time gets it', secondsUntil(1, 600, hour), 600],
  ['a bank that asks for less changes nothing', secondsUntil(1, 5, hour), 60],
  ['the spread takes up to a tenth away', secondsUntil(0, null, hour, 0), hour * 0.9],
  ['the spread adds up to a tenth', secondsUntil(0, null, hour, 1), hour * 1.1],
  ['an end ahead of the clock counts as now', secondsFromClock(600), hour],
  ['an end that a wrong clock recorded a year ahead holds up nothing', secondsFromClock(365 * 24 * hour), 0],
])('%s', (_, actual, expected) => {
  expect(actual).toBeCloseTo(expected, 6);
});
