import type { LedgerEvent } from './ledger.events.ts';
import type { StatementPage } from './statement.ts';
import { book, emptyBook } from './testing/book.ts';
import { booksOf, pending, posted } from './testing/rows.ts';

const [day, nextDay] = ['2026-03-02', '2026-03-03'];
const books = (...rows: Parameters<typeof booksOf>[2]) => booksOf(day, day, rows);
const booksOfNext = (...rows: Parameters<typeof booksOf>[2]) => booksOf(nextDay, nextDay, rows);

const coffee = posted({ bankId: 'A' });
const counter = posted({ bankId: 'R', day: nextDay, amount: '3.00', rawDescription: 'REVERSAL', reversalOf: 'A' });

type Case = Readonly<{
  given: readonly StatementPage[];
  when: StatementPage;
  then: readonly LedgerEvent['type'][];
  /** The status of the row that is reversed, or not, in the end. */
  coffee?: string;
}>;

const rules: Readonly<Record<string, Case>> = {
  'a row that a new one takes back is reversed, and the new one is a transaction': {
    given: [books(coffee)],
    when: booksOfNext(counter),
    then: ['TransactionRecorded', 'TransactionReversed'],
    coffee: 'reversed',
  },
  'both may come on one page, in any order': {
    given: [],
    when: booksOf(day, nextDay, [counter, coffee]),
    then: ['TransactionRecorded', 'TransactionRecorded', 'TransactionReversed'],
    coffee: 'reversed',
  },
  'a reversal that is shown again says nothing new': {
    given: [books(coffee), booksOfNext(counter)],
    when: booksOf(day, nextDay, [coffee, counter]),
    then: [],
    coffee: 'reversed',
  },
  'a row that was not known yet is reversed when the counter-row is next shown': {
    given: [booksOfNext(counter), books(coffee)],
    when: booksOfNext(counter),
    then: ['TransactionReversed'],
    coffee: 'reversed',
  },
  'what takes back another amount reverses nothing': {
    given: [books(coffee)],
    when: booksOfNext({ ...counter, content: { ...counter.content, amount: '2.00' } }),
    then: ['TransactionRecorded'],
    coffee: 'posted',
  },
  'more digits are the same amount': {
    given: [books(coffee)],
    when: booksOfNext({ ...counter, content: { ...counter.content, amount: '3.000' } }),
    then: ['TransactionRecorded', 'TransactionReversed'],
    coffee: 'reversed',
  },
  'a pending row takes nothing back': {
    given: [books(coffee)],
    when: booksOfNext(pending({ bankId: 'R', day: nextDay, amount: '3.00', reversalOf: 'A' })),
    then: ['TransactionRecorded'],
    coffee: 'posted',
  },
  'a reversed row that is restated is still reversed': {
    given: [books(coffee), booksOfNext(counter)],
    when: books({ ...coffee, content: { ...coffee.content, description: 'Tea' } }),
    then: ['TransactionRestated'],
    coffee: 'reversed',
  },
  'ids that the bank gives anew change nothing of it': {
    given: [books(coffee), booksOfNext(counter)],
    when: booksOf(day, nextDay, [
      { ...coffee, bankId: 'A2' },
      { ...counter, bankId: 'R2', reversalOf: 'A2' },
    ]),
    then: ['TransactionRelabelled', 'TransactionRelabelled'],
    coffee: 'reversed',
  },
  'without the counter-row it is posted again': {
    given: [books(coffee), booksOfNext(counter)],
    when: booksOfNext(),
    then: ['TransactionWithdrawn', 'TransactionReversalWithdrawn'],
    coffee: 'posted',
  },
  'a counter-row that comes back reverses it again': {
    given: [books(coffee), booksOfNext(counter), booksOfNext()],
    when: booksOfNext(counter),
    then: ['TransactionReinstated', 'TransactionReversed'],
    coffee: 'reversed',
  },
  'what is gone in the same report is not reversed': {
    given: [books(coffee)],
    when: booksOf(day, nextDay, [counter]),
    then: ['TransactionRecorded', 'TransactionWithdrawn'],
  },
};

describe('a row that the bank reverses', () => {
  test.each(Object.entries(rules))('%s', async (_rule, { given, when, then, coffee: status }) => {
    const ledger = emptyBook();
    for (const page of given) await book(ledger, page);
    expect((await book(ledger, when)).map(({ type }) => type).toSorted()).toEqual(then.toSorted());
    const shown = [...ledger.shown.values()].find(({ amount }) => amount === '-3.00');
    expect(shown?.status).toBe(status);
    expect(await book(ledger, when)).toEqual([]);
  });
});
