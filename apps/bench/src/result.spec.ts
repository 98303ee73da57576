import type { Measurement } from './measurement.ts';
import { lineOf, resultOf } from './result.ts';

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

test('ours alone may be too much, however slow the baseline is', () => {
  const cost = { ...rate, target: 3, lessIsBetter: true, oursMax: 250 } as const;
  expect(resultOf(cost, { ours: [250], baseline: [100] }, 1).holds).toBe(true);
  expect(resultOf(cost, { ours: [251], baseline: [100] }, 1).holds).toBe(false);
});

test('a figure without a baseline is held against the target itself, and has no ratio', () => {
  const cost = { ...rate, target: 1.5, lessIsBetter: true } as const;
  const measured = { ours: [1.4, 1.6, 1.5], baseline: null };
  const result = resultOf(cost, measured, 1);
  expect(result).toMatchObject({ ratio: null, ours: 1.5, baseline: null, spread: null, pairs: 3, holds: true });
  expect(resultOf({ ...cost, target: 1.4 }, measured, 1).holds).toBe(false);
  expect(lineOf(cost, result, undefined)).toBe('P0      1.50 holds  (<= 1.5) a rate: 1.50 rows/s');
});

test('figures with a flaw do not hold, and tell what they were taken of', () => {
  const measured = { ours: [100], baseline: [100], rows: 7 };
  expect(resultOf(rate, measured, 1000)).toMatchObject({ rows: 7, holds: true });
  expect(resultOf(rate, { ...measured, flaw: 'too few flowed' }, 1000).holds).toBe(false);
});

test('the line says why it does not hold', () => {
  const cost = { ...rate, target: 3, lessIsBetter: true, oursMax: 250 } as const;
  const result = resultOf(cost, { ours: [251], baseline: [100] }, 1);
  expect(lineOf(cost, result, undefined)).toBe(
    'P0      2.51 MISSED (<= 3) a rate: 251 against 100 rows/s, spread 0 %; more than 250 rows/s of our own',
  );
  expect(lineOf(rate, resultOf(rate, { ours: [90], baseline: [100] }, 1), 'too few flowed')).toMatch(
    /90\.00 against 100 rows\/s, spread 0 %: VOID, too few flowed$/,
  );
});
