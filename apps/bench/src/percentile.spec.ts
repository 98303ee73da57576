import { percentile } from './percentile.ts';

test('a percentile is the smallest value that so large a share does not pass', () => {
  const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
  expect([0.5, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([50, 99, 100]);
  expect(percentile([7], 0.99)).toBe(7);
});
