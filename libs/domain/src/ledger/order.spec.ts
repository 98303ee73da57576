import fc from 'fast-check';
import { placeOf } from './place.ts';
import type { LedgerEvent } from './ledger.events.ts';
import type { StatementPage } from './statement.ts';
import { bookAt, emptyBook, type Book, type Shown } from './testing/book.ts';
import { deliveries } from './testing/deliveries.ts';
import { closingsOf, openBank, perform, steps, truthOf, type Bank } from './testing/simulated-bank.ts';
import { allPending, booksOf, noticeOf, pending, posted } from './testing/rows.ts';

const seed = Number(process.env['CAUSEWAY_TEST_SEED'] ?? 20260302);
const seeds = Number(process.env['CAUSEWAY_TEST_SEEDS'] ?? 150);

const textOf = ({ status, postedDate, amount, description }: Shown): string =>
  [status, postedDate ?? '', amount, description].join(' ');
const live = (ledger: Book): Shown[] => [...ledger.shown.values()].filter(({ status }) => status !== 'cancelled');

/** Every state that the bank's rows have been in, each with its place in the history of its row. */
const notes = () => {
  const states = new Map<string, number>();
  return {
    take: (bank: Bank): void => {
      for (const row of bank.rows) if (!states.has(truthOf(row))) states.set(truthOf(row), states.size);
    },
    ageOf: (shown: Shown): number => states.get(textOf(shown))!,
  };
};

test(`in whatever order pages come, and however often, the mirror ends as the bank is and no row goes back (seed ${seed})`, async () => {
  await fc.assert(
    // Rows that nothing else looks like, so that the state of each is known by what it says.
    fc.asyncProperty(steps(fc.constant(undefined), 20), fc.nat(), async (syncs, chance) => {
      const [bank, ledger, history] = [openBank(), emptyBook(), notes()];
      const pages = deliveries(chance, syncs, (between) => {
        for (const step of between) perform(bank, step);
        history.take(bank);
        return bank;
      });
      const ages = new Map<string, number>();
      for (const { run, number, page } of pages) {
        for (const event of await bookAt(ledger, placeOf(run, number), page)) {
          if (!('content' in event.data)) continue;
          const { transactionId } = event.data;
          const age = history.ageOf(ledger.shown.get(transactionId)!);
          // No expectation for each of some hundred thousand: that takes longer than the booking.
          if (age < (ages.get(transactionId) ?? 0)) throw new Error(`${transactionId} went back by ${run}/${number}`);
          ages.set(transactionId, age);
        }
        const again = await bookAt(ledger, placeOf(run, number), page);
        if (again.length > 0) throw new Error(`${run}/${number} again led to ${again[0]?.type}`);
      }
      expect(live(ledger).map(textOf).sort()).toEqual(bank.rows.map(truthOf).sort());
      const balances = new Map(closingsOf(bank).map(({ date, amount }) => [date, amount]));
      expect(new Map([...ledger.balances].map(([date, { amount }]) => [date, amount]))).toEqual(balances);
    }),
    { seed, numRuns: seeds },
  );
});

test(`and so it ends where many rows look alike and ids come and go (seed ${seed})`, async () => {
  const words = fc.constantFrom<string | undefined>('COFFEE', 'LUNCH', undefined);
  await fc.assert(
    fc.asyncProperty(steps(words, 20), fc.nat(), async (syncs, chance) => {
      const [bank, ledger] = [openBank(), emptyBook()];
      const pages = deliveries(chance, syncs, (between) => {
        for (const step of between) perform(bank, step);
        return bank;
      });
      for (const { run, number, page } of pages) await bookAt(ledger, placeOf(run, number), page);
      expect(live(ledger).map(textOf).sort()).toEqual(bank.rows.map(truthOf).sort());
    }),
    { seed, numRuns: seeds },
  );
});

const day = '2026-03-02';
const nextDay = '2026-03-03';
const coffee = posted({ bankId: 'A' });
const dearCoffee = posted({ bankId: 'A', amount: '-4.00' });
const lunch = posted({ bankId: 'B', rawDescription: 'LUNCH' });
const tomorrow = posted({ bankId: 'C', day: nextDay });
const rent = { bankId: 'R', amount: '-900.00', rawDescription: 'RENT' };
const stating = (amount: string, date = day): StatementPage => ({
  ...booksOf(date, date, []),
  closingBalances: [{ date, amount }],
});

type Late = Readonly<{
  /** Newer than the page that comes after them. */
  given: readonly StatementPage[];
  late: StatementPage;
  then: readonly LedgerEvent['type'][];
}>;

const rules: Readonly<Record<string, Late>> = {
  'restates nothing that a newer page showed': {
    given: [booksOf(day, day, [dearCoffee])],
    late: booksOf(day, day, [coffee]),
    then: [],
  },
  'brings nothing back that a newer page no longer shows': {
    given: [booksOf(day, day, [lunch])],
    late: booksOf(day, day, [coffee, lunch]),
    then: [],
  },
  'withdraws nothing that a newer page showed': {
    given: [booksOf(day, day, [coffee, lunch])],
    late: booksOf(day, day, [coffee]),
    then: [],
  },
  'withdraws nothing that a newer page showed on a day that it did not cover': {
    given: [noticeOf([coffee])],
    late: booksOf(day, day, []),
    then: ['PageBooked'],
  },
  'records nothing again that a newer page showed on a day that it did not cover': {
    given: [noticeOf([coffee, posted()])],
    late: noticeOf([coffee, posted(), lunch]),
    then: ['TransactionRecorded'],
  },
  'records nothing again that a newer page showed under new ids': {
    given: [noticeOf([coffee, lunch])],
    late: noticeOf([
      { ...coffee, bankId: 'new A' },
      { ...lunch, bankId: 'new B' },
    ]),
    then: [],
  },
  'is booked for the days that it alone covers': {
    given: [booksOf(day, day, [coffee])],
    late: booksOf(day, nextDay, [dearCoffee, tomorrow]),
    then: ['TransactionRecorded', 'PageBooked'],
  },
  'takes a row of its own day for no other that a newer page showed on another day': {
    given: [booksOf(day, day, [coffee])],
    late: booksOf(day, nextDay, [posted({ bankId: 'A', day: nextDay })]),
    then: ['TransactionRecorded', 'PageBooked'],
  },
  'says nothing of pending rows where a newer page told of all': {
    given: [allPending([])],
    late: allPending([pending(rent)]),
    then: [],
  },
  'cancels no pending row that a newer page showed': {
    given: [noticeOf([pending(rent)])],
    late: allPending([]),
    then: ['PageBooked'],
  },
  'books what a newer page did not have among the pending rows any more': {
    given: [allPending([])],
    late: booksOf(day, day, [posted(rent)]),
    then: ['TransactionRecorded', 'PageBooked'],
  },
  'makes no pending row of one that a newer page posted': {
    given: [noticeOf([posted(rent)])],
    late: noticeOf([pending({ ...rent, day: '2026-03-01' })]),
    then: [],
  },
  'changes no balance that a newer page stated': { given: [stating('100')], late: stating('90'), then: [] },
  'states the balances of its own days': {
    given: [stating('100')],
    late: stating('90', nextDay),
    then: ['BalanceReported', 'PageBooked'],
  },
};

test.each(Object.entries(rules))('an older page %s', async (_, { given, late, then }) => {
  const ledger = emptyBook();
  for (const [number, page] of given.entries()) await bookAt(ledger, placeOf(2, number), page);
  expect((await bookAt(ledger, placeOf(1, 0), late)).map(({ type }) => type)).toEqual(then);
  expect(await bookAt(ledger, placeOf(1, 0), late)).toEqual([]);
});

test('a pending row that a newer page cancelled and an older one posts keeps its id', async () => {
  const ledger = emptyBook();
  await bookAt(ledger, placeOf(1, 0), allPending([pending(rent)]));
  await bookAt(ledger, placeOf(2, 1), allPending([]));
  const events = await bookAt(ledger, placeOf(2, 0), booksOf(day, day, [posted(rent)]));
  expect(events.map(({ type }) => type)).toEqual(['TransactionPosted', 'PageBooked']);
  expect(ledger.index.size).toBe(1);
});

const typesOf = (events: readonly LedgerEvent[]): LedgerEvent['type'][] => events.map(({ type }) => type);

test('a bank that gave new ids has given them to the rows of days that were looked at later as well', async () => {
  const ledger = emptyBook();
  const [newCoffee, newLunch] = [
    { ...coffee, bankId: 'new A' },
    { ...lunch, bankId: 'new B' },
  ];
  await bookAt(ledger, placeOf(1, 0), booksOf(day, nextDay, [coffee, lunch, tomorrow]));
  await bookAt(ledger, placeOf(2, 0), booksOf(day, day, [newCoffee, newLunch]));
  const events = await bookAt(
    ledger,
    placeOf(3, 0),
    booksOf(day, nextDay, [newCoffee, newLunch, { ...tomorrow, bankId: 'new C' }]),
  );
  expect(typesOf(events)).toEqual(['TransactionRelabelled', 'PageBooked']);
});

test('an older page restates no row by another that resembles it', async () => {
  const ledger = emptyBook();
  const gym = { ...rent, bankId: 'G', rawDescription: 'GYM' };
  await bookAt(ledger, placeOf(1, 0), allPending([pending(gym)]));
  await bookAt(ledger, placeOf(3, 0), booksOf(day, nextDay, [posted({ ...rent, amount: '-901.00', day: nextDay })]));
  const events = await bookAt(ledger, placeOf(2, 0), allPending([pending({ ...rent, bankId: null })]));
  expect(typesOf(events)).toEqual(['TransactionRecorded', 'TransactionCancelled', 'PageBooked']);
});

test('a row or a balance that is shown as it was is as new as the page that shows it', async () => {
  const ledger = emptyBook();
  const shown = { ...noticeOf([coffee]), closingBalances: [{ date: day, amount: '100' }] };
  for (const run of [1, 3]) await bookAt(ledger, placeOf(run, 0), shown);
  const late = { ...booksOf(day, day, [dearCoffee]), closingBalances: [{ date: day, amount: '90' }] };
  expect((await bookAt(ledger, placeOf(2, 0), late)).map(({ type }) => type)).toEqual([
    'TransactionRecorded',
    'PageBooked',
  ]);
});
