import type { LedgerEvent } from './ledger.events.ts';
import type { StatementPage } from './statement.ts';
import { book, emptyBook } from './testing/book.ts';
import { allPending, booksOf, finalOf, interimOf, noticeOf, pending, posted } from './testing/rows.ts';

const day = '2026-03-02';
const nextDay = '2026-03-03';
const books = (...rows: Parameters<typeof booksOf>[2]) => booksOf(day, day, rows);

type Case = Readonly<{ given: readonly StatementPage[]; when: StatementPage; then: readonly LedgerEvent['type'][] }>;

const coffee = posted({ bankId: 'A' });
const lunch = posted({ bankId: 'B', amount: '-12.00', rawDescription: 'LUNCH' });
const cheapLunch = posted({ bankId: 'B', rawDescription: 'LUNCH' });
const rent = posted({ bankId: 'C', amount: '-900.00', rawDescription: 'RENT' });

const rules: Readonly<Record<string, Case>> = {
  'a row that was never seen is recorded': {
    given: [],
    when: books(coffee),
    then: ['TransactionRecorded'],
  },
  'two equal rows are two transactions': {
    given: [],
    when: books(posted(), posted()),
    then: ['TransactionRecorded', 'TransactionRecorded'],
  },
  'another report of the day with more equal rows adds the difference': {
    given: [noticeOf([posted(), posted()])],
    when: noticeOf([posted(), posted(), posted()]),
    then: ['TransactionRecorded'],
  },
  'another report of the day with fewer equal rows adds none': {
    given: [noticeOf([posted(), posted(), posted()])],
    when: noticeOf([posted()]),
    then: [],
  },
  'one bank id for the items of a batch: each amount is a transaction': {
    given: [],
    when: books(coffee, { ...lunch, bankId: 'A' }),
    then: ['TransactionRecorded', 'TransactionRecorded'],
  },
  'a bank id used again on another day is another transaction': {
    given: [books(coffee)],
    when: booksOf(nextDay, nextDay, [posted({ bankId: 'A', day: nextDay })]),
    then: ['TransactionRecorded'],
  },
  'more digits of the same amount change nothing': {
    given: [books(coffee)],
    when: books(posted({ bankId: 'A', amount: '-3.000' })),
    then: [],
  },
  'a narrative that is wrapped differently is no other row': {
    given: [books(posted({ rawDescription: 'COFFEE SHOP 12' }))],
    when: books(posted({ rawDescription: 'coffee\n  shop 12 ' })),
    then: ['TransactionRestated'],
  },
  'rows in another order change nothing': {
    given: [books(coffee, lunch, rent)],
    when: books(rent, coffee, lunch),
    then: [],
  },
  'a row that the books no longer show is withdrawn': {
    given: [books(coffee, lunch)],
    when: books(lunch),
    then: ['TransactionWithdrawn'],
  },
  'a row of a day that the page does not cover is left alone': {
    given: [books(coffee)],
    when: booksOf(nextDay, nextDay, []),
    then: [],
  },
  'a report without a claim withdraws nothing': { given: [books(coffee, lunch)], when: noticeOf([lunch]), then: [] },
  'a withdrawn row that comes back is the one it was': {
    given: [books(coffee, lunch), books(lunch)],
    when: books(coffee, lunch),
    then: ['TransactionReinstated'],
  },
  'amount and text may change under one bank id': {
    given: [books(coffee, lunch)],
    when: books(posted({ bankId: 'A', amount: '-3.50', rawDescription: 'COFFEE CORRECTED' }), lunch),
    then: ['TransactionRestated'],
  },
  'a row that moves to another day of the page keeps its bank id and itself': {
    given: [booksOf(day, nextDay, [coffee, lunch])],
    when: booksOf(day, nextDay, [posted({ bankId: 'A', day: nextDay }), lunch]),
    then: ['TransactionRestated'],
  },
  'where bank ids hold, one row that goes and one that comes are two': {
    given: [books(coffee, lunch)],
    when: books(posted({ bankId: 'D' }), lunch),
    then: ['TransactionRecorded', 'TransactionWithdrawn'],
  },
  'a pending row that posts is the same, whatever its amount': {
    given: [allPending([pending({ bankId: 'A', amount: '-45.00' })])],
    when: booksOf(nextDay, nextDay, [posted({ bankId: 'A', day: nextDay, amount: '-45.10' })]),
    then: ['TransactionPosted'],
  },
  'a pending row that vanishes is cancelled': {
    given: [allPending([pending({ bankId: 'A' }), pending({ bankId: 'B', amount: '-9' })])],
    when: allPending([pending({ bankId: 'B', amount: '-9' })]),
    then: ['TransactionCancelled'],
  },
  'one that was cancelled may post after all': {
    given: [allPending([pending({ bankId: 'A' })]), allPending([])],
    when: books(posted({ bankId: 'A', amount: '-3.40' })),
    then: ['TransactionPosted'],
  },
  'one that was cancelled is pending again when the bank shows it among all there are': {
    given: [allPending([pending({ bankId: 'A' })]), allPending([])],
    when: allPending([pending({ bankId: 'A' })]),
    then: ['TransactionRestated'],
  },
  'an old interim report brings nothing back': {
    given: [interimOf(day, [pending({ bankId: 'A' }), pending({ bankId: 'B', amount: '-9' })]), finalOf(day, [coffee])],
    when: interimOf(day, [pending({ bankId: 'A' }), pending({ bankId: 'B', amount: '-9' })]),
    then: [],
  },
  'without ids, an interim row and the final one with another wording are one': {
    given: [interimOf(day, [pending({ rawDescription: 'CARD PAYMENT' }), pending({ amount: '-7' })])],
    when: finalOf(day, [posted({ rawDescription: 'CARD PAYMENT COFFEE SHOP' }), posted({ amount: '-7' })]),
    then: ['TransactionPosted', 'TransactionPosted'],
  },
  'without ids, a pending row posts with another amount where nothing else has its narrative': {
    given: [allPending([pending({ amount: '-45.00' })])],
    when: booksOf(nextDay, nextDay, [posted({ day: nextDay, amount: '-45.10' })]),
    then: ['TransactionPosted'],
  },
  'new ids for all rows change nothing that is seen': {
    given: [books(coffee, lunch, rent)],
    when: books({ ...coffee, bankId: 'X' }, { ...lunch, bankId: 'Y' }, { ...rent, bankId: 'Z' }),
    then: ['TransactionRelabelled', 'TransactionRelabelled', 'TransactionRelabelled'],
  },
  'new ids, of which one was another row’s: still the rows they were': {
    given: [books(coffee, cheapLunch, rent)],
    when: books({ ...coffee, bankId: 'B' }, { ...cheapLunch, bankId: 'Y' }, { ...rent, bankId: 'Z' }),
    then: ['TransactionRelabelled', 'TransactionRelabelled', 'TransactionRelabelled'],
  },
  'ids that are missing from now on change nothing': {
    given: [books(coffee, lunch)],
    when: books({ ...coffee, bankId: null }, { ...lunch, bankId: null }),
    then: [],
  },
  'missing ids that come back as they were change nothing': {
    given: [books(coffee, lunch), books({ ...coffee, bankId: null }, { ...lunch, bankId: null })],
    when: books(coffee, lunch),
    then: [],
  },
  'without ids, another amount under the same narrative is a restatement': {
    given: [books(posted(), posted({ amount: '-8', rawDescription: 'LUNCH' }))],
    when: books(posted({ amount: '-3.50' }), posted({ amount: '-8', rawDescription: 'LUNCH' })),
    then: ['TransactionRestated'],
  },
  'without ids, the one row of a day that changed altogether is a restatement': {
    given: [books(posted(), posted({ amount: '-8', rawDescription: 'LUNCH' }))],
    when: books(posted({ amount: '-4', rawDescription: 'TEA' }), posted({ amount: '-8', rawDescription: 'LUNCH' })),
    then: ['TransactionRestated'],
  },
  'without ids, a new row beside the known ones swallows none of them': {
    given: [books(posted(), posted({ amount: '-8', rawDescription: 'LUNCH' }))],
    when: books(posted(), posted({ amount: '-8', rawDescription: 'LUNCH' }), posted({ amount: '-8' })),
    then: ['TransactionRecorded'],
  },
};

test.each(Object.entries(rules))('%s', async (_, { given, when, then }) => {
  const ledger = emptyBook();
  for (const page of given) await book(ledger, page);
  const idsBefore = new Set(ledger.index.keys());
  const events = await book(ledger, when);
  expect(events.map(({ type }) => type)).toEqual(then);
  const recorded = then.filter((type) => type === 'TransactionRecorded').length;
  expect(ledger.index.size).toBe(idsBefore.size + recorded);
  // What is not recorded as new is one of those there were; and the same page again changes nothing.
  expect(await book(ledger, when)).toEqual([]);
});

test('an id that a restated row was first seen under is not given to another row', async () => {
  const ledger = emptyBook();
  await book(ledger, books(coffee));
  await book(ledger, books(posted({ bankId: 'A', amount: '-5' })));
  const events = await book(ledger, books(posted({ bankId: 'A', amount: '-5' }), coffee));
  expect(events.map(({ type }) => type)).toEqual(['TransactionRecorded']);
  expect(ledger.index.size).toBe(2);
});

test('a closing balance is reported when it is new or another, not for its spelling', async () => {
  const ledger = emptyBook();
  const stating = (amount: string): StatementPage => ({ ...books(), closingBalances: [{ date: day, amount }] });
  expect(await book(ledger, stating('100.00'))).toHaveLength(1);
  expect(await book(ledger, stating('100'))).toEqual([]);
  expect(await book(ledger, stating('101'))).toHaveLength(1);
  expect(ledger.balances.get(day)?.amount).toBe('101');
});

test('a change carries what daily balances counted before', async () => {
  const ledger = emptyBook();
  await book(ledger, books(coffee));
  const [restated] = await book(ledger, books(posted({ bankId: 'A', amount: '-5' })));
  const previous = { status: 'posted', postedDate: day, amount: '-3.00' };
  expect(restated).toMatchObject({ type: 'TransactionRestated', data: { previous } });
});
