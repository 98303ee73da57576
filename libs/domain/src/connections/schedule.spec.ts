import { nextRunAt } from './schedule.ts';

const endedAt = '2026-03-01T10:00:00.000Z';
const hour = 3600;
const secondsUntil = (failures: number, retryAfterSeconds: number | null, interval: number, spread = 0.5) =>
  (nextRunAt({ endedAt, failures, retryAfterSeconds }, interval, spread) - Date.parse(endedAt)) / 1000;

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
])('%s', (_, actual, expected) => {
  expect(actual).toBeCloseTo(expected, 6);
});
