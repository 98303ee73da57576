import { secondsOf } from './duration.ts';

test.each([
  ['90s', 90],
  ['5m', 300],
  ['2h', 7200],
  ['30d', 2_592_000],
  ['0d', undefined],
  ['30', undefined],
  ['d', undefined],
  ['-1d', undefined],
  ['1.5h', undefined],
  ['1w', undefined],
  ['9999999999d', undefined],
])('%s is %s seconds', (duration, seconds) => {
  expect(secondsOf(duration)).toBe(seconds);
});
