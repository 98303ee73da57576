import { dayText, type Day } from '../calendar.ts';
import type { Cents } from '../money.ts';
import type { AccountPlan } from './institutions.ts';
import { drawsFrom, mix } from './random.ts';
import { drawAmount, drawRow, type Row } from './row.ts';

/**
 * The rows an account has on its opening day. None is kept: a day's rows are drawn again whenever they are asked for,
 * so that a million of them take the memory of their daily counts and balances.
 */
export type History = Readonly<{
  firstDay: Day;
  lastDay: Day;
  /** The last day of the page that a day is on: pages keep their borders whatever is booked later. */
  pageEnd: (day: Day) => Day;
  countOn: (day: Day) => number;
  rowsOn: (day: Day) => Row[];
  /** The ledger balance at the end of a day; before the first day the opening balance. */
  closingOn: (day: Day) => Cents;
}>;

/** A page has at most these, unless a single day has more. */
export const pageRowsMax = 500;

/** After the history a page ends with each thirtieth day. */
const laterPageDays = 30;

/** Late postings go ten days back and more, so every account has at least these. */
const historyDaysMin = 30;

const dailyCount = (plan: AccountPlan, seed: number, day: Day): number => {
  if (day % plan.everyDays !== 0) return 0;
  const [least, most] = plan.rowsPerDay;
  return least + drawsFrom(mix(seed, day))(most - least + 1);
};

/** Newest day first. A large history has exactly `largeRows` rows: its oldest day takes what is left. */
const countsBackwards = (plan: AccountPlan, seed: number, lastDay: Day, largeRows: number): number[] => {
  const counts: number[] = [];
  const days = plan.history === 'large' ? historyDaysMin : plan.history.days;
  let left = plan.history === 'large' ? largeRows : Number.MAX_SAFE_INTEGER;
  while (counts.length < days || (plan.history === 'large' && left > 0)) {
    const count = Math.min(left, dailyCount(plan, seed, lastDay - counts.length));
    counts.push(count);
    left -= count;
  }
  return counts;
};

/** For each day the last one of its page: as many whole days as have `pageRowsMax` rows together. */
const pageEnds = (counts: Uint16Array): Uint32Array => {
  const ends = new Uint32Array(counts.length);
  let start = 0;
  let rows = 0;
  counts.forEach((count, place) => {
    if (rows + count > pageRowsMax) {
      start = place;
      rows = 0;
    }
    rows += count;
    ends.fill(place, start, place + 1);
  });
  return ends;
};

const rowSeed = (seed: number, day: Day, index: number): number => mix(mix(seed, day), index);

const dailyTotal = (plan: AccountPlan, seed: number, day: Day, count: number): Cents => {
  let total = 0;
  for (let index = 0; index < count; index++) total += drawAmount(plan.kinds, rowSeed(seed, day, index));
  return total;
};

export const makeHistory = (plan: AccountPlan, seed: number, lastDay: Day, largeRows: number): History => {
  const counts = Uint16Array.from(countsBackwards(plan, seed, lastDay, largeRows).reverse());
  const firstDay = lastDay - counts.length + 1;
  const closings = new Float64Array(counts.length);
  let balance = plan.balance;
  for (let place = counts.length - 1; place >= 0; place--) {
    closings[place] = balance;
    balance -= dailyTotal(plan, seed, firstDay + place, counts[place] ?? 0);
  }
  const openingBalance = balance;

  const ends = pageEnds(counts);
  const pageEnd = (day: Day): Day =>
    day <= lastDay
      ? firstDay + (ends[day - firstDay] ?? 0)
      : lastDay + Math.ceil((day - lastDay) / laterPageDays) * laterPageDays;
  const countOn = (day: Day): number => counts[day - firstDay] ?? 0;
  const rowsOn = (day: Day): Row[] => {
    const date = dayText(day).replaceAll('-', '');
    return Array.from({ length: countOn(day) }, (_, index) =>
      drawRow(plan.kinds, rowSeed(seed, day, index), { key: `${date}${String(index).padStart(4, '0')}`, day }),
    );
  };
  const closingOn = (day: Day): Cents =>
    day < firstDay ? openingBalance : (closings[Math.min(day, lastDay) - firstDay] ?? plan.balance);
  return { firstDay, lastDay, pageEnd, countOn, rowsOn, closingOn };
};
