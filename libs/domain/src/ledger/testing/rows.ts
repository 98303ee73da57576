import { transactionContent, type StatementPage, type StatementRow, type TransactionContent } from '../statement.ts';

const content = transactionContent({
  amount: '-3.00',
  currency: 'USD',
  description: 'Coffee',
  rail: 'card',
  rawDescription: 'COFFEE SHOP 12',
});

export type RowFacts = Partial<Pick<StatementRow, 'bankId' | 'day' | 'valueDate' | 'typeCode' | 'reversalOf'>> &
  Partial<Pick<TransactionContent, 'amount' | 'rawDescription' | 'description' | 'customerReference'>>;

const row = (status: StatementRow['status'], facts: RowFacts): StatementRow => {
  const { bankId = null, day = '2026-03-02', valueDate = null, typeCode = null, reversalOf, ...seen } = facts;
  const postedDate = status === 'posted' ? day : null;
  const taken = reversalOf === undefined ? {} : { reversalOf };
  return { status, bankId, day, valueDate, typeCode, ...taken, content: { ...content, ...seen, postedDate } };
};

export const posted = (facts: RowFacts = {}): StatementRow => row('posted', facts);
export const pending = (facts: RowFacts = {}): StatementRow => row('pending', facts);

const page = (coverage: StatementPage['coverage'], rows: readonly StatementRow[]): StatementPage => ({
  coverage,
  rows,
  closingBalances: [],
});

/** The bank's books of some days, whole. */
export const booksOf = (from: string, to: string, rows: readonly StatementRow[]): StatementPage =>
  page({ posted: { from, to }, pending: null }, rows);

/** Every pending row there is. */
export const allPending = (rows: readonly StatementRow[]): StatementPage =>
  page({ posted: null, pending: 'all' }, rows);

/** An interim report of a day: what is pending of it so far. */
export const interimOf = (day: string, rows: readonly StatementRow[]): StatementPage =>
  page({ posted: null, pending: { from: day, to: day } }, rows);

/** The final report of a day: its books, and nothing of it is pending any more. */
export const finalOf = (day: string, rows: readonly StatementRow[]): StatementPage =>
  page({ posted: { from: day, to: day }, pending: { from: day, to: day } }, rows);

/** Rows without a word on what is not shown. */
export const noticeOf = (rows: readonly StatementRow[]): StatementPage => page({ posted: null, pending: null }, rows);
