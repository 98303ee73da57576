import type { Measured, Measurement } from './measurement.ts';

/** The documented shape of one line of `--json`. */
export type Result = Readonly<{
  id: string;
  name: string;
  /** The median of the ratios of the pairs. */
  ratio: number;
  ours: number;
  baseline: number;
  unit: string;
  rows: number;
  pairs: number;
  /** Of the baseline: what lies between its extremes, as a share of its median. Over 0.25 the run is void. */
  spread: number;
  target: number;
  holds: boolean;
}>;

export const spreadMax = 0.25;

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
};

export const resultOf = (measurement: Measurement, { ours, baseline }: Measured, rows: number): Result => {
  const { id, name, unit, target, lessIsBetter } = measurement;
  const ratio = median(ours.map((value, pair) => value / (baseline[pair] as number)));
  const spread = (Math.max(...baseline) - Math.min(...baseline)) / median(baseline);
  const meets = lessIsBetter ? ratio <= target : ratio >= target;
  const holds = meets && spread <= spreadMax;
  return {
    id,
    name,
    ratio,
    ours: median(ours),
    baseline: median(baseline),
    unit,
    rows,
    pairs: ours.length,
    spread,
    target,
    holds,
  };
};
