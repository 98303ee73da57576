import type { AnsweredBalance } from '../ledger.events.ts';
import { Account, change, day, moved, piecesOf, stated } from '../testing/daily-account.ts';
import type { BalanceChange } from './balance-facts.ts';

type Told = Readonly<{ cause: string | null; until?: string }>;
const told = (row: Told | undefined): string => [row?.cause ?? 'derived', row?.until ?? ''].join(' ').trim();
const answered: AnsweredBalance = {
  ...{ cause: 'reported', reason: null, operator: null, eventId: 'event', currency: 'USD' },
  ...{ ledgerBalance: '7', postedTransactionDelta: '0', source: 'bankProvided', updatedAt: 't0' },
};

const pasts: Readonly<Record<string, readonly [changes: BalanceChange[], causes: string[]]>> = {
  'a stated balance is reported, and restated when it is another': [
    [change('t0', [stated(day(2), '7')]), change('t1', [stated(day(2), '8')])],
    ['reported t1', 'restated'],
  ],
  'a day that transactions or another day move is derived': [
    [
      change('t0', [stated(day(1), '7')]),
      change('t1', [moved(day(2), '1')]),
      change('t2', [stated(day(1), '8')]),
      change('t3', [stated(day(2), '9')]),
    ],
    ['derived t2', 'derived t3', 'reported'],
  ],
  'what was so amid a page is not kept, and the version before it lasts until the page is done': [
    [
      change('t0', [stated(day(2), '7')], 'page 1'),
      change('t1', [moved(day(2), '1')], 'page 2'),
      change('t2', [moved(day(2), '1')], 'page 2'),
      change('t3', [stated(day(2), '8')], 'page 2'),
    ],
    ['reported t3', 'restated'],
  ],
  'a day that is not shown has no versions': [
    [change('t0', [moved(day(2), '7')]), change('t1', [moved(day(2), '7')]), change('t2', [stated(day(2), '8')])],
    ['reported'],
  ],
  'a balance that is read otherwise is remapped': [
    [change('t0', [stated(day(2), '7')]), change('t1', [{ kind: 'remapped', date: day(2), amount: '8' }])],
    ['reported t1', 'remapped'],
  ],
  'a corrected day has the versions that were answered, and no others': [
    [
      change('t0', [stated(day(2), '6')]),
      change('t1', [stated(day(2), '7')]),
      change('t2', [{ kind: 'corrected', date: day(2), answered: [answered, { ...answered, updatedAt: 't1' }] }]),
      change('t3', [moved(day(2), '1')]),
    ],
    ['reported t1', 'reported t2', 'corrected t3', 'derived'],
  ],
};

test.each(Object.entries(pasts))('of a day’s past: %s', (_rule, [changes, causes]) => {
  for (const size of [1, 2, 100]) {
    const account = new Account();
    for (const piece of piecesOf(changes, [size])) account.take(piece);
    const past = (account.versions.get(day(2)) ?? []).map(({ cause, supersededAt }) => ({
      cause,
      until: supersededAt,
    }));
    const all = [...past, account.rows.get(day(2))];
    expect(all.map(told)).toEqual(causes);
  }
});
