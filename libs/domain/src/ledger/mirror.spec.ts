import fc from 'fast-check';
import { book, emptyBook, type Book } from './testing/book.ts';
import { openBank, pagesOf, perform, steps, truthOf, type Bank } from './testing/simulated-bank.ts';

const seed = Number(process.env['CAUSEWAY_TEST_SEED'] ?? 20260302);
const runs = 150;

const sync = async (ledger: Book, bank: Bank, daysPerPage: number): Promise<number> => {
  let events = 0;
  for (const page of pagesOf(bank, daysPerPage)) events += (await book(ledger, page)).length;
  return events;
};

const mirrored = (ledger: Book): string[] =>
  [...ledger.shown.values()]
    .filter(({ status }) => status !== 'cancelled')
    .map(({ status, postedDate, amount, description }) => [status, postedDate ?? '', amount, description].join(' '))
    .sort();

const daysPerPage = fc.integer({ min: 1, max: 40 });

test(`after every sync the mirror shows what the bank does, and looking again changes nothing (seed ${seed})`, async () => {
  // Few words for many rows, so that different rows look alike.
  const words = fc.constantFrom<string | undefined>('COFFEE', 'LUNCH', undefined);
  await fc.assert(
    fc.asyncProperty(steps(words), daysPerPage, async (syncs, days) => {
      const [bank, ledger] = [openBank(), emptyBook()];
      for (const between of syncs) {
        for (const step of between) perform(bank, step);
        await sync(ledger, bank, days);
        expect(mirrored(ledger)).toEqual(bank.rows.map(truthOf).sort());
        expect(await sync(ledger, bank, days)).toBe(0);
      }
    }),
    { seed, numRuns: runs },
  );
});

/** The ids in the mirror of the rows that nothing else looks like. */
const idsByRow = (ledger: Book, bank: Bank): Map<number, string> => {
  const ids = new Map<string, string>();
  for (const [id, { status, postedDate, amount, description }] of ledger.shown) {
    if (status !== 'cancelled') ids.set([status, postedDate ?? '', amount, description].join(' '), id);
  }
  return new Map(bank.rows.map((row) => [row.key, ids.get(truthOf(row))!]));
};

test(`a row that stays keeps its id, whatever its bank id becomes (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(steps(fc.constant(undefined)), daysPerPage, async (syncs, days) => {
      const [bank, ledger] = [openBank(), emptyBook()];
      let before = new Map<number, string>();
      for (const between of syncs) {
        const idsBefore = bank.ids;
        bank.touched.clear();
        for (const step of between) perform(bank, step);
        await sync(ledger, bank, days);
        const after = idsByRow(ledger, bank);
        const idsHeld =
          idsBefore === 'given' && bank.ids === 'given' && !between.some(({ operation }) => operation === 'reissueIds');
        for (const [key, id] of after) {
          // Without ids that hold, a row whose every facet changed is recognised by what stays, if anything does.
          if (before.has(key) && (idsHeld || !bank.touched.has(key))) expect(id).toBe(before.get(key));
        }
        before = after;
      }
    }),
    { seed, numRuns: runs },
  );
});
