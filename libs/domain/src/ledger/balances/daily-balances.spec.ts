import { add, canonical, subtract } from '@causeway/money';
import fc from 'fast-check';
import { Account, change, corrected, day, moved, pieceOf, piecesOf, stated } from '../testing/daily-account.ts';
import type { BalanceChange, BalanceFact } from './balance-facts.ts';

const after = (...events: readonly (readonly BalanceFact[])[]): readonly string[] => {
  const account = new Account();
  account.take(events.map((facts, i) => change(`t${i}`, facts)));
  return account.shown();
};

const table: Readonly<Record<string, readonly [events: BalanceFact[][], rows: string[]]>> = {
  'an account without a stated balance has no rows': [[[moved(day(1), '5.00')]], []],
  'days after a stated balance are walked to by their deltas': [
    [[stated(day(1), '100.00')], [moved(day(3), '5.00')], [moved(day(3), '-1.00')]],
    ['01 100.00 0.00 stated t0', '02 100.00 0.00 derived t1', '03 104.00 4.00 derived t2'],
  ],
  'days before the first stated balance are walked back to': [
    [[moved(day(1), '5.00')], [moved(day(3), '7.00')], [stated(day(3), '100.00')]],
    ['01 93.00 5.00 derived t2', '02 93.00 0.00 derived t2', '03 100.00 7.00 stated t2'],
  ],
  'a later row before the first stated balance moves the days before it, and not the stated one': [
    [[stated(day(3), '100.00')], [moved(day(1), '1.00')], [moved(day(2), '10.00')]],
    ['01 90.00 1.00 derived t2', '02 100.00 10.00 derived t2', '03 100.00 0.00 stated t0'],
  ],
  'a stated balance is never overwritten by a derived one': [
    [[stated(day(1), '100.00')], [stated(day(3), '50.00')], [moved(day(2), '5.00')], [moved(day(3), '1.00')]],
    ['01 100.00 0.00 stated t0', '02 105.00 5.00 derived t2', '03 50.00 1.00 stated t3'],
  ],
  'a stated balance replaces a derived one, and what is walked to from it moves along': [
    [[stated(day(1), '100.00')], [moved(day(3), '5.00')], [stated(day(2), '90.00')]],
    ['01 100.00 0.00 stated t0', '02 90.00 0.00 stated t2', '03 95.00 5.00 derived t2'],
  ],
  'a restated balance moves no further than to the next stated one': [
    [[stated(day(1), '1')], [stated(day(3), '3')], [stated(day(4), '4')], [stated(day(1), '2')]],
    ['01 2 0 stated t3', '02 2 0 derived t3', '03 3 0 stated t1', '04 4 0 stated t2'],
  ],
  'the same balance stated again, however written, changes nothing': [
    [[stated(day(1), '100.00')], [stated(day(1), '100.0')]],
    ['01 100.00 0.00 stated t0'],
  ],
  'a balance that is stated as it was derived changes its source alone': [
    [[stated(day(1), '100.00')], [moved(day(3), '5.00')], [stated(day(2), '100.00')]],
    ['01 100.00 0.00 stated t0', '02 100.00 0.00 stated t2', '03 105.00 5.00 derived t1'],
  ],
  'a row that moves to another day leaves the days after both as they were': [
    [[stated(day(1), '0')], [moved(day(2), '5')], [moved(day(4), '1')], [moved(day(2), '-5'), moved(day(3), '5')]],
    ['01 0 0 stated t0', '02 0 0 derived t3', '03 5 5 derived t3', '04 6 1 derived t2'],
  ],
  'a day stays once it was known, though its only row is withdrawn': [
    [[stated(day(1), '0')], [moved(day(3), '5')], [moved(day(3), '-5')]],
    ['01 0 0 stated t0', '02 0 0 derived t1', '03 0 0 derived t2'],
  ],
  'a posted row of nothing makes its day known': [
    [[stated(day(1), '7')], [moved(day(2), '0.00')]],
    ['01 7 0 stated t0', '02 7 0.00 derived t1'],
  ],
  'a corrected day counts as changed as it is, and no other does': [
    [[stated(day(1), '7')], [moved(day(3), '1')], [corrected(day(2))]],
    ['01 7 0 stated t0', '02 7 0 derived t2', '03 8 1 derived t1'],
  ],
  'a corrected day that no event made is derived': [
    [[stated(day(1), '7')], [corrected(day(3))]],
    ['01 7 0 stated t0', '02 7 0 derived t1', '03 7 0 derived t1'],
  ],
  'no day of an account without a stated balance is corrected': [[[moved(day(1), '7')], [corrected(day(1))]], []],
};

describe('daily balances', () => {
  test.each(Object.entries(table))('%s', (_rule, [events, rows]) => {
    expect(after(...events)).toEqual(rows);
  });

  test('hold across 1970 and leap days', () => {
    expect(after([stated('1970-01-01', '1')], [moved('1969-12-31', '1')], [moved('1970-01-02', '2')])).toEqual([
      '31 1 1 derived t1',
      '01 1 0 stated t0',
      '02 3 2 derived t2',
    ]);
    expect(after([stated('2028-02-28', '1')], [moved('2028-03-01', '1')]).map((row) => row.slice(0, 2))).toEqual([
      '28',
      '29',
      '01',
    ]);
  });
});

/** The definition, recomputed from nothing after each event. */
const naive = (changes: readonly BalanceChange[]): readonly string[] => {
  const deltas = new Map<number, string>();
  const anchors = new Map<number, string>();
  let shown = new Map<number, string>();
  let changedAt = new Map<number, string>();
  for (const { at, facts } of changes) {
    const told = new Set<number>();
    for (const fact of facts) {
      const n = Number(fact.date.slice(8));
      if (fact.kind === 'corrected' && anchors.size === 0) continue;
      if (fact.kind === 'corrected') told.add(n);
      deltas.set(n, fact.kind === 'moved' ? add(deltas.get(n) ?? '0', fact.amount) : (deltas.get(n) ?? '0'));
      if (fact.kind === 'stated' || fact.kind === 'remapped') anchors.set(n, fact.amount);
    }
    const [first, last] = [Math.min(...deltas.keys()), Math.max(...deltas.keys())];
    const rows = new Map<number, string>();
    for (let n = first; n <= last && anchors.size > 0; n++) {
      const earlier = [...anchors.keys()].filter((a) => a <= n);
      const from = earlier.length > 0 ? Math.max(...earlier) : Math.min(...anchors.keys());
      let balance = anchors.get(from) as string;
      for (let d = from + 1; d <= n; d++) balance = add(balance, deltas.get(d) ?? '0');
      for (let d = from; d > n; d--) balance = subtract(balance, deltas.get(d) ?? '0');
      rows.set(
        n,
        [canonical(balance), canonical(deltas.get(n) ?? '0'), anchors.has(n) ? 'stated' : 'derived'].join(' '),
      );
    }
    const moment = (n: number): string =>
      rows.get(n) === shown.get(n) && !told.has(n) ? (changedAt.get(n) as string) : at;
    changedAt = new Map([...rows.keys()].map((n) => [n, moment(n)]));
    shown = rows;
  }
  return [...shown].map(([n, row]) => `${String(n).padStart(2, '0')} ${row} ${changedAt.get(n)}`);
};

const amounts = fc.constantFrom('0', '0.00', '1', '-1', '2.50', '-2.5', '0.000000000000000001', '99999999999999.99');
const facts = fc.record({
  kind: fc.constantFrom<BalanceFact['kind']>('moved', 'moved', 'moved', 'stated', 'remapped', 'corrected'),
  // Often few days, so that neighbours fall on the same one.
  date: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 9, max: 11 }), fc.constant(10)).map(day),
  amount: amounts,
  answered: fc.constant([]),
}) as fc.Arbitrary<BalanceFact>;
const histories = fc.array(fc.array(facts, { minLength: 1, maxLength: 2 }), { maxLength: 40 });
const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 });

/** Texts of times sort as they follow each other. */
const timed = (history: readonly BalanceFact[][], pages: readonly number[] = []): readonly BalanceChange[] =>
  history.map((of, i) => change(`t${1000 + i}`, of, pages.length === 0 ? null : String(pieceOf(i, pages))));

describe('any history of an account', () => {
  test('gives the rows of the definition, whatever the size of the batches', () => {
    const seed = Date.now();
    console.info(`seed ${seed}`);
    fc.assert(
      fc.property(histories, cuts, cuts, (history, sizes, pages) => {
        const changes = timed(history, pages);
        const account = new Account();
        for (const piece of piecesOf(changes, sizes)) account.take(piece);
        const plain = account.shown().map((row) => {
          const [date, balance, delta, ...rest] = row.split(' ') as [string, string, string];
          return [date, canonical(balance), canonical(delta), ...rest].join(' ');
        });
        expect(plain).toEqual(naive(changes));

        const atOnce = new Account();
        atOnce.take(changes);
        expect([...account.rows].sort()).toEqual([...atOnce.rows].sort());
        expect([...account.versions].sort()).toEqual([...atOnce.versions].sort());
      }),
      { seed, numRuns: 1000 },
    );
  });

  test('shows at each end of a page, or event that no page led to, what was shown then', () => {
    const seed = Date.now();
    console.info(`seed ${seed}`);
    const withoutCorrections = histories.map((all) =>
      all.map((of) => of.filter(({ kind }) => kind !== 'corrected')).filter((of) => of.length > 0),
    );
    fc.assert(
      fc.property(withoutCorrections, fc.oneof(cuts, fc.constant([])), (history, pages) => {
        const account = new Account();
        const shown = new Map<string, readonly string[]>();
        const changes = timed(history, pages);
        for (const [i, one] of changes.entries()) {
          account.take([one]);
          if (one.place === null || changes[i + 1]?.place !== one.place) shown.set(one.at, account.shown());
        }
        for (const [at, rows] of shown) expect(account.asOf(at)).toEqual(rows);
      }),
      { seed, numRuns: 300 },
    );
  });

  test('touches the days up to the next stated one, and no other', () => {
    const account = new Account();
    const months = Array.from({ length: 28 }, (_, i) => i + 1);
    account.take(months.map((n) => change('t0', n % 7 === 0 ? [stated(day(n), '1')] : [moved(day(n), '1')])));
    expect(account.take([change('t1', [moved(day(10), '1')])])).toEqual([10, 11, 12, 13].map(day));
    expect(account.take([change('t2', [stated(day(14), '5')])])).toEqual([14, 15, 16, 17, 18, 19, 20].map(day));
    expect(account.take([change('t3', [moved(day(28), '1')])])).toEqual([day(28)]);
  });
});
