import type { Measured, Measurement } from './measurement.ts';

/** The documented shape of one line of `--json`. */
export type Result = Readonly<{
  id: string;
  name: string;
  /** The median of the ratios of the pairs. Null, like the baseline and its spread, where there is none. */
  ratio: number | null;
  ours: number;
  baseline: number | null;
  unit: string;
  rows: number;
  pairs: number;
  /** Of the baseline: what lies between its extremes, as a share of its median. Over 0.25 the run is void. */
  spread: number | null;
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
  const ratio = baseline && median(ours.map((value, pair) => value / (baseline[pair] as number)));
  const spread = baseline && (Math.max(...baseline) - Math.min(...baseline)) / median(baseline);
  const figure = ratio ?? median(ours);
  const meets = lessIsBetter ? figure <= target : figure >= target;
  const holds = meets && (spread ?? 0) <= spreadMax && median(ours) <= oursMax && flaw === undefined;
  return {
    id,
    name,
    ratio,
    ours: median(ours),
    baseline: baseline && median(baseline),
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
  const against = baseline === null ? '' : ` against ${figure(baseline)}`;
  const spreading = spread === null ? '' : `, spread ${(100 * spread).toFixed(0)} %`;
  return [
    `${id.padEnd(4)} ${(ratio === null ? figure(ours) : ratio.toFixed(2)).padStart(7)} ${holds ? 'holds ' : 'MISSED'} (${lessIsBetter ? '<=' : '>='} ${target})`,
    ` ${name}: ${figure(ours)}${against} ${unit}${spreading}`,
    ours > oursMax ? `; more than ${oursMax} ${unit} of our own` : '',
    flaw === undefined ? '' : `: VOID, ${flaw}`,
    (spread ?? 0) > spreadMax ? ': VOID, run it again' : '',
  ].join('');
};
