import fc from 'fast-check';
import type { ClosingBalance, StatementPage, StatementRow } from '../statement.ts';
import { allPending, booksOf, pending, posted } from './rows.ts';

/** A row in the bank's own record. `key` is the bank's secret: what makes the row this row. */
export type BankRow = {
  key: number;
  status: 'pending' | 'posted';
  day: number;
  cents: number;
  text: string;
  bankId: string;
};

export type Bank = { rows: BankRow[]; today: number; ids: 'given' | 'withheld'; made: number; touched: Set<number> };

export const openBank = (): Bank => ({ rows: [], today: 20, ids: 'given', made: 0, touched: new Set() });

const dayOf = (day: number): string => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);

/** `pick`: which row, out of those that qualify. `text`: what new rows say; undefined: something no other row says. */
type Draw = Readonly<{ pick: number; cents: number; text: string | undefined }>;

const insert = (bank: Bank, status: BankRow['status'], day: number, { cents, text }: Draw): void => {
  const key = ++bank.made;
  bank.rows.push({ key, status, day, cents, text: text ?? `ROW ${key}`, bankId: `id-${key}` });
};

const chosen = (bank: Bank, status: BankRow['status'], { pick }: Draw): BankRow | undefined => {
  const rows = bank.rows.filter((row) => row.status === status);
  const row = rows[pick % (rows.length || 1)];
  if (row !== undefined) bank.touched.add(row.key);
  return row;
};

const post = (bank: Bank, draw: Draw, cents: number): void => {
  const row = chosen(bank, 'pending', draw);
  if (row !== undefined) Object.assign(row, { status: 'posted', day: bank.today, cents: row.cents + cents });
};

const remove = (bank: Bank, status: BankRow['status'], draw: Draw): void => {
  const row = chosen(bank, status, draw);
  bank.rows = bank.rows.filter((other) => other !== row);
};

/** What can happen at a bank between two looks at it. */
const operations = {
  newRow: (bank: Bank, draw: Draw) => insert(bank, 'posted', bank.today, draw),
  newPending: (bank: Bank, draw: Draw) => insert(bank, 'pending', bank.today, draw),
  latePosting: (bank: Bank, draw: Draw) => insert(bank, 'posted', bank.today - 10, draw),
  post: (bank: Bank, draw: Draw) => post(bank, draw, 0),
  postOtherAmount: (bank: Bank, draw: Draw) => post(bank, draw, 10),
  restate: (bank: Bank, draw: Draw) => {
    const row = chosen(bank, 'posted', draw);
    if (row !== undefined) Object.assign(row, { cents: row.cents + 5, text: `${row.text} CORRECTED` });
  },
  withdraw: (bank: Bank, draw: Draw) => remove(bank, 'posted', draw),
  cancel: (bank: Bank, draw: Draw) => remove(bank, 'pending', draw),
  nextDay: (bank: Bank) => void bank.today++,
  withholdIds: (bank: Bank) => void (bank.ids = 'withheld'),
  reissueIds: (bank: Bank) => {
    bank.ids = 'given';
    for (const row of bank.rows) row.bankId = `again-${++bank.made}`;
  },
} as const;

export type Operation = keyof typeof operations;
export type Step = Readonly<{ operation: Operation; draw: Draw }>;

export const perform = (bank: Bank, { operation, draw }: Step): void => operations[operation](bank, draw);

const statementRow = (bank: Bank, { status, day, cents, text, bankId }: BankRow): StatementRow => {
  const facts = { day: dayOf(day), amount: (cents / 100).toFixed(2), rawDescription: text, description: text };
  return (status === 'posted' ? posted : pending)({ ...facts, bankId: bank.ids === 'given' ? bankId : null });
};

/** What the bank states for the end of a day. */
const closingOf = (bank: Bank, day: number): ClosingBalance => {
  const rows = bank.rows.filter((row) => row.status === 'posted' && row.day <= day);
  return { date: dayOf(day), amount: (rows.reduce((sum, { cents }) => sum + cents, 0) / 100).toFixed(2) };
};

/** Of every day from `since` to today. */
export const closingsOf = (bank: Bank, since = 0, until = bank.today): ClosingBalance[] =>
  Array.from({ length: until - since + 1 }, (_, i) => closingOf(bank, since + i));

/** Everything from day `since` to today in pages of whole days, then the pending rows: as an API gives it. */
export const pagesOf = (bank: Bank, daysPerPage: number, since = 0): StatementPage[] => {
  const pages: StatementPage[] = [];
  const rowsOf = (test: (row: BankRow) => boolean) => bank.rows.filter(test).map((row) => statementRow(bank, row));
  for (let from = since; from <= bank.today; from += daysPerPage) {
    const to = Math.min(from + daysPerPage - 1, bank.today);
    const rows = rowsOf(({ status, day }) => status === 'posted' && day >= from && day <= to);
    pages.push({ ...booksOf(dayOf(from), dayOf(to), rows), closingBalances: closingsOf(bank, from, to) });
  }
  return [...pages, allPending(rowsOf(({ status }) => status === 'pending'))];
};

/** What a mirror must hold of a row. */
export const truthOf = ({ status, day, cents, text }: BankRow): string =>
  [status, status === 'posted' ? dayOf(day) : '', (cents / 100).toFixed(2), text].join(' ');

/** `syncs`: how often somebody looks at the bank, with some steps before each; several times unless it is said. */
export const steps = (
  text: fc.Arbitrary<string | undefined>,
  syncs?: number,
): fc.Arbitrary<readonly (readonly Step[])[]> => {
  const draw = fc.record({ pick: fc.nat(30), cents: fc.integer({ min: -5, max: 5 }).map((n) => n * 100), text });
  const operation = fc.constantFrom(...(Object.keys(operations) as Operation[]));
  const step = fc.record({ operation, draw });
  const opening: fc.Arbitrary<Step> = fc.record({
    operation: fc.constantFrom<Operation>('newRow', 'newPending', 'latePosting', 'nextDay'),
    draw,
  });
  // Some history first, so that there is something to change.
  return fc
    .tuple(
      fc.array(opening, { minLength: 5, maxLength: 25 }),
      fc.array(fc.array(step, { maxLength: 6 }), {
        minLength: syncs === undefined ? 0 : syncs - 1,
        maxLength: syncs === undefined ? 8 : syncs - 1,
      }),
    )
    .map(([first, syncs]) => [first, ...syncs]);
};
