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

export const resultOf = (measurement: Measurement, measured: Measured, rowsAsked: number): Result => {
  const { id, name, unit, target, lessIsBetter, oursMax = Number.POSITIVE_INFINITY } = measurement;
  const { ours, baseline, rows = rowsAsked, flaw } = measured;
  const ratio = median(ours.map((value, pair) => value / (baseline[pair] as number)));
  const spread = (Math.max(...baseline) - Math.min(...baseline)) / median(baseline);
  const meets = lessIsBetter ? ratio <= target : ratio >= target;
  const holds = meets && spread <= spreadMax && median(ours) <= oursMax && flaw === undefined;
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

const figure = (value: number): string => value.toFixed(value < 100 ? 2 : 0);

/** What a person reads of it. */
export const lineOf = (measurement: Measurement, result: Result, flaw: string | undefined): string => {
  const { id, ratio, holds, target, name, ours, baseline, unit, spread } = result;
  const { lessIsBetter, oursMax = Number.POSITIVE_INFINITY } = measurement;
  return [
    `${id.padEnd(4)} ${ratio.toFixed(2).padStart(7)} ${holds ? 'holds ' : 'MISSED'} (${lessIsBetter ? '<=' : '>='} ${target})`,
    ` ${name}: ${figure(ours)} against ${figure(baseline)} ${unit}, spread ${(100 * spread).toFixed(0)} %`,
    ours > oursMax ? `; more than ${oursMax} ${unit} of our own` : '',
    flaw === undefined ? '' : `: VOID, ${flaw}`,
    spread > spreadMax ? ': VOID, run it again' : '',
  ].join('');
};
