import type { Measurement } from './measurement.ts';
import { resultOf } from './result.ts';

const rate: Measurement = {
  id: 'P0',
  name: 'a rate',
  unit: 'rows/s',
  target: 0.9,
  floor: 0.5,
  run: () => Promise.resolve({ ours: [], baseline: [] }),
};

test.each([
  ['the ratio is the median of the pairs, not of the sides', [90, 50, 200], [100, 100, 100], 0.9, true],
  ['below the target it does not hold', [80, 80, 80], [100, 100, 100], 0.8, false],
  ['a baseline that varies too much makes the run void', [100, 100, 100], [100, 70, 100], 1, false],
])('%s', (_, ours, baseline, ratio, holds) => {
  expect(resultOf(rate, { ours, baseline }, 1000)).toMatchObject({ ratio, holds, pairs: 3 });
});

test('where less is better the target is a ceiling', () => {
  const cost = { ...rate, target: 1.2, lessIsBetter: true } as const;
  expect(resultOf(cost, { ours: [11], baseline: [10] }, 1).holds).toBe(true);
  expect(resultOf(cost, { ours: [13], baseline: [10] }, 1).holds).toBe(false);
});
