import { makeHistory, pageRowsMax, type History } from './history.ts';
import { plansOf, type AccountPlan } from './institutions.ts';
import type { Row } from './row.ts';

const lastDay = 20_000;
const seed = 7;

const planOf = (institution: 'sandbox-instant' | 'sandbox-large', place = 0): AccountPlan => {
  const plan = plansOf[institution][place];
  if (plan === undefined) throw new Error(`no account ${place}`);
  return plan;
};

const rowsIn = (history: History): Row[] => {
  const rows: Row[] = [];
  for (let day = history.firstDay; day <= history.lastDay; day++) rows.push(...history.rowsOn(day));
  return rows;
};

const allOf = (forSeed: number): Row[][] =>
  plansOf['sandbox-instant'].map((plan, place) => rowsIn(makeHistory(plan, forSeed + place, lastDay, 0)));

it('the same seed makes the same rows, another seed others', () => {
  expect(allOf(seed)).toEqual(allOf(seed));
  expect(allOf(seed)).not.toEqual(allOf(seed + 100));
});

it.each([1, 2, 3, 1000])('seed %d makes about 500 rows over 90 days', (forSeed) => {
  const rows = allOf(forSeed).flat();
  expect(rows.length).toBeGreaterThan(420);
  expect(rows.length).toBeLessThan(580);
  expect(Math.min(...rows.map(({ day }) => day))).toBeGreaterThan(lastDay - 90);
});

it.each(plansOf['sandbox-instant'].map((plan, place) => [plan.name, place] as const))(
  '%s: every closing balance is the one before and the rows of the day',
  (_, place) => {
    const history = makeHistory(planOf('sandbox-instant', place), seed, lastDay, 0);
    for (let day = history.firstDay; day <= lastDay; day++) {
      const moved = history.rowsOn(day).reduce((sum, { amount }) => sum + amount, 0);
      expect(history.closingOn(day)).toBe(history.closingOn(day - 1) + moved);
    }
    expect(history.closingOn(lastDay + 50)).toBe(planOf('sandbox-instant', place).balance);
  },
);

it('no two rows of an account share a key', () => {
  for (const rows of allOf(seed)) expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
});

it.each([0, 1, 249, 10_000, 12_345])('a large history has exactly %d rows', (largeRows) => {
  const history = makeHistory(planOf('sandbox-large'), seed, lastDay, largeRows);
  expect(rowsIn(history)).toHaveLength(largeRows);
  expect(history.firstDay).toBeLessThanOrEqual(lastDay - 29);
});

it('a page is whole days, as many as fit, and pages follow on one another', () => {
  const history = makeHistory(planOf('sandbox-large'), seed, lastDay, 20_000);
  const pages: number[] = [];
  for (let day = history.firstDay; day <= lastDay; day = history.pageEnd(day) + 1) {
    let rows = 0;
    for (let inside = day; inside <= history.pageEnd(day); inside++) rows += history.countOn(inside);
    expect(rows).toBeLessThanOrEqual(pageRowsMax);
    if (history.pageEnd(day) < lastDay) expect(rows + history.countOn(history.pageEnd(day) + 1)).toBeGreaterThan(500);
    pages.push(rows);
  }
  expect(pages.reduce((sum, rows) => sum + rows, 0)).toBe(20_000);
  expect(history.pageEnd(lastDay + 1)).toBe(lastDay + 30);
});
