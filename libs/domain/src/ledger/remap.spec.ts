import { add, negate } from '@causeway/money';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import type { LedgerEvent } from './ledger.events.ts';
import { placeOf } from './place.ts';
import type { StatementPage, StatementRow, TransactionContent } from './statement.ts';
import { bookAt, emptyBook, person, remapAt, type Book, type Shown } from './testing/book.ts';
import { deliveries, type Delivery } from './testing/deliveries.ts';
import { allPending, booksOf, noticeOf, pending, posted } from './testing/rows.ts';
import { closingsOf, openBank, perform, steps, truthOf, type Bank } from './testing/simulated-bank.ts';

const seed = Number(process.env['CAUSEWAY_TEST_SEED'] ?? 20260302);
const seeds = Number(process.env['CAUSEWAY_TEST_SEEDS'] ?? 25);

type Misread = (row: StatementRow) => StatementRow | undefined;

const reading =
  (change: (content: TransactionContent) => Partial<TransactionContent>): Misread =>
  (row) => ({ ...row, content: { ...row.content, ...change(row.content) } });

/** What a mapping may have got wrong, and whether it left all rows there. */
const wrongMappings: Readonly<Record<string, Misread>> = {
  'nothing wrong': (row) => row,
  'another description': reading(() => ({ description: 'WRONG' })),
  'the sign turned round': reading(({ amount }) => ({ amount: negate(amount) })),
  'words of its own in the narrative': reading(({ rawDescription }) => ({ rawDescription: `X ${rawDescription}` })),
  'no ids': (row) => ({ ...row, bankId: null }),
  'other ids': (row) => ({ ...row, bankId: row.bankId && `other ${row.bankId}` }),
  'all of that at once': (row) => ({
    ...row,
    bankId: null,
    content: { ...row.content, amount: negate(row.content.amount), rawDescription: 'X', description: 'WRONG' },
  }),
  'rows left out': (row) => (row.content.description.endsWith('3') ? undefined : row),
};

const misread = (page: StatementPage, by: Misread): StatementPage => ({
  ...page,
  rows: page.rows.flatMap((row) => by(row) ?? []),
  closingBalances: page.closingBalances.map(({ date, amount }) => ({ date, amount: add(amount, '1') })),
});

const bookedBy = async (pages: readonly Delivery[], mapping: Misread): Promise<Book> => {
  const ledger = emptyBook();
  for (const { run, number, page } of pages) await bookAt(ledger, placeOf(run, number), misread(page, mapping));
  return ledger;
};

/** What a client sees of it. */
const remap = async (ledger: Book, pages: readonly Delivery[]): Promise<readonly LedgerEvent[]> => {
  const events: LedgerEvent[] = [];
  const newestFirst = pages.toSorted((a, b) => b.run - a.run || a.number - b.number);
  for (const { run, number, page } of newestFirst) events.push(...(await remapAt(ledger, placeOf(run, number), page)));
  return events.filter(({ type }) => type !== 'PageBooked' && type !== 'TransactionRelabelled');
};

const textOf = ({ status, postedDate, amount, description }: Shown): string =>
  [status, postedDate ?? '', amount, description].join(' ');
const live = (ledger: Book): readonly Shown[] =>
  [...ledger.shown.values()].filter(({ status }) => status !== 'cancelled');
const closings = ({ balances }: Book): ReadonlyMap<string, string> =>
  new Map([...balances].map(([date, { amount }]) => [date, amount]));

const historyOf = (
  chance: number,
  syncs: Parameters<typeof deliveries>[1],
): Readonly<{ bank: Bank; pages: Delivery[] }> => {
  const bank = openBank();
  const after = (between: Parameters<typeof deliveries>[1][number]): Bank => {
    for (const step of between) perform(bank, step);
    return bank;
  };
  return { bank, pages: [...deliveries(chance, syncs, after)] };
};

const expectMirror = (ledger: Book, bank: Bank): void => {
  expect(live(ledger).map(textOf).sort()).toEqual(bank.rows.map(truthOf).sort());
  expect(closings(ledger)).toEqual(new Map(closingsOf(bank).map(({ date, amount }) => [date, amount])));
};

/** Which row an event is about. */
const transactionOf = ({ data }: LedgerEvent): readonly string[] =>
  'transactionId' in data ? [data.transactionId] : [];

describe.each(Object.entries(wrongMappings))('rows and balances that were booked by %s', (wrong, mapping) => {
  test(`end as the bank's record is by the right mapping, and only once (seed ${seed})`, async () => {
    const words = fc.constantFrom<string | undefined>('COFFEE', 'LUNCH', undefined);
    await fc.assert(
      fc.asyncProperty(steps(words, 12), fc.nat(), async (syncs, chance) => {
        const { bank, pages } = historyOf(chance, syncs);
        const ledger = await bookedBy(pages, mapping);
        await remap(ledger, pages);
        expectMirror(ledger, bank);
        expect(await remap(ledger, pages)).toEqual([]);
      }),
      { seed, numRuns: seeds },
    );
  });

  test(`keep their ids where nothing looks like them, and no other row is touched (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(steps(fc.constant(undefined), 12), fc.nat(), async (syncs, chance) => {
        const { bank, pages } = historyOf(chance, syncs);
        const ledger = await bookedBy(pages, mapping);
        const before = new Map(ledger.shown);
        const events = await remap(ledger, pages);
        expectMirror(ledger, bank);
        const after = ledger.shown;
        const different = [...after].filter(([id, row]) => !isDeepStrictEqual(before.get(id), row)).map(([id]) => id);
        expect([...before.keys()].filter((id) => !after.has(id))).toEqual([]);
        expect(after.size - before.size).toBe(wrong === 'rows left out' ? different.length : 0);
        expect([...new Set(events.flatMap(transactionOf))].sort()).toEqual(different.sort());
      }),
      { seed, numRuns: seeds },
    );
  });
});

test(`what is booked by the present mapping stays as it is (seed ${seed})`, async () => {
  const words = fc.constantFrom<string | undefined>('COFFEE', 'LUNCH', undefined);
  await fc.assert(
    fc.asyncProperty(steps(words, 12), fc.nat(), async (syncs, chance) => {
      const { pages } = historyOf(chance, syncs);
      const ledger = emptyBook();
      for (const { run, number, page } of pages) await bookAt(ledger, placeOf(run, number), page);
      expect(await remap(ledger, pages)).toEqual([]);
    }),
    { seed, numRuns: seeds * 4 },
  );
});

const day = '2026-03-02';
const coffee = posted({ bankId: 'A' });
const dear = posted({ bankId: 'A', amount: '-4.00' });
const lunch = posted({ bankId: 'B', rawDescription: 'LUNCH' });
const stating = (amount: string): StatementPage => ({
  ...booksOf(day, day, []),
  closingBalances: [{ date: day, amount }],
});

type Rule = Readonly<{
  booked: readonly StatementPage[];
  /** The first of the pages, as it is read now. */
  again: StatementPage;
  then: readonly LedgerEvent['type'][];
}>;

const rules: Readonly<Record<string, Rule>> = {
  'another amount is a remapped row': {
    booked: [booksOf(day, day, [coffee])],
    again: booksOf(day, day, [dear]),
    then: ['TransactionRemapped'],
  },
  'what was pending by mistake is a remapped row': {
    booked: [allPending([pending({ bankId: 'A' })])],
    again: booksOf(day, day, [coffee]),
    then: ['TransactionRemapped', 'PageBooked'],
  },
  'a row that a newer page showed is as that one showed it': {
    booked: [booksOf(day, day, [coffee]), noticeOf([posted({ bankId: 'A', description: 'Espresso' })])],
    again: booksOf(day, day, [posted({ bankId: 'A', description: 'Tea' })]),
    then: [],
  },
  'a row that a newer page no longer showed does not come back': {
    booked: [booksOf(day, day, [coffee]), booksOf(day, day, [])],
    again: booksOf(day, day, [dear]),
    then: [],
  },
  'a row that vanished while it was pending stays cancelled': {
    booked: [allPending([pending({ bankId: 'A' })]), allPending([])],
    again: allPending([pending({ bankId: 'A', amount: '-4.00' })]),
    then: [],
  },
  'a row that nobody read is recorded': {
    booked: [booksOf(day, day, [coffee])],
    again: booksOf(day, day, [coffee, lunch]),
    then: ['TransactionRecorded'],
  },
  'a row that was none is withdrawn': {
    booked: [booksOf(day, day, [coffee, lunch])],
    again: booksOf(day, day, [coffee]),
    then: ['TransactionWithdrawn'],
  },
  'rows that nothing tells apart are the same rows still': {
    booked: [booksOf(day, day, [posted({ rawDescription: 'ONE' }), posted({ rawDescription: 'TWO' })])],
    again: booksOf(day, day, [posted({ rawDescription: 'THREE' }), posted({ rawDescription: 'FOUR' })]),
    then: ['TransactionRemapped', 'TransactionRemapped'],
  },
  'another balance is a remapped one': { booked: [stating('9')], again: stating('8'), then: ['BalanceRemapped'] },
  'a balance that a newer page stated is as that one stated it': {
    booked: [stating('9'), stating('7')],
    again: stating('8'),
    then: [],
  },
  'a balance that is stated no more stays': { booked: [stating('9')], again: booksOf(day, day, []), then: [] },
};

test.each(Object.entries(rules))('%s', async (_, { booked, again, then }) => {
  const ledger = emptyBook();
  for (const [number, page] of booked.entries()) await bookAt(ledger, placeOf(number + 1, 0), page);
  const events = await remapAt(ledger, placeOf(1, 0), again);
  expect(events.map(({ type }) => type)).toEqual(then);
  for (const { type, data } of events) if (type !== 'PageBooked') expect(data).toMatchObject(person);
  expect(await remapAt(ledger, placeOf(1, 0), again)).toEqual([]);
});
