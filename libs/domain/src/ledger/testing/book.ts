import { bookBalances, bookRows, type Booked } from '../booking.ts';
import { mintIds } from '../first-sight.ts';
import { identityChange, type KnownRow } from '../identity.ts';
import { seenRow, type Digest } from '../imprint.ts';
import type { LedgerEvent } from '../ledger.events.ts';
import { resolve } from '../resolve.ts';
import type { StatementPage, TransactionContent } from '../statement.ts';

/** No two texts share it; what it hides is of no concern here. */
const digest: Digest = (text) => text;

const owner = { entityId: 'entity', connectionId: 'connection' };

export type Shown = TransactionContent & Readonly<{ status: string }>;

/** An account's ledger in memory: the rules as the service runs them, with the index and the read model as plain maps. */
export type Book = {
  index: Map<string, KnownRow>;
  shown: Map<string, Shown>;
  balances: Map<string, string>;
};

export const emptyBook = (): Book => ({ index: new Map(), shown: new Map(), balances: new Map() });

/** The rows that the service would read for the page. */
const namedBy = (book: Book, { coverage, rows }: StatementPage): KnownRow[] => {
  const days = new Set(rows.map(({ day }) => day));
  const bankIds = new Set(rows.map(({ bankId }) => bankId));
  const { posted } = coverage;
  return [...book.index.values()].filter(
    ({ day, status, bankId }) =>
      (posted !== null && day >= posted.from && day <= posted.to) ||
      days.has(day) ||
      status === 'pending' ||
      (bankId !== null && bankIds.has(bankId)),
  );
};

const show = (book: Book, event: LedgerEvent): void => {
  switch (event.type) {
    case 'TransactionRecorded':
    case 'TransactionReinstated':
    case 'TransactionRestated':
      book.shown.set(event.data.transactionId, { ...event.data.content, status: event.data.status });
      break;
    case 'TransactionPosted':
      book.shown.set(event.data.transactionId, { ...event.data.content, status: 'posted' });
      break;
    case 'TransactionCancelled':
      book.shown.set(event.data.transactionId, { ...book.shown.get(event.data.transactionId)!, status: 'cancelled' });
      break;
    case 'TransactionWithdrawn':
      book.shown.delete(event.data.transactionId);
      break;
    case 'BalanceReported':
      book.balances.set(event.data.date, event.data.amount);
      break;
    case 'LedgerOpened':
    case 'TransactionRelabelled':
      break;
  }
};

const fold = (book: Book, { event, change }: Booked): void => {
  // The shortcut of a decision and the fold of its event must agree: the index is rebuilt by the fold.
  expect(identityChange(event, digest)).toEqual(change);
  if (change?.type === 'row') book.index.set(change.row.transactionId, change.row);
  if (change?.type === 'gone') {
    const { transactionId, status } = change;
    book.index.set(transactionId, { ...book.index.get(transactionId)!, status });
  }
  show(book, event);
};

/** Books a page and answers what it changed. */
export const book = async (into: Book, page: StatementPage): Promise<readonly LedgerEvent[]> => {
  const seen = page.rows.map((row) => seenRow(row, digest));
  const resolution = resolve(namedBy(into, page), seen, page.coverage);
  const ids = await mintIds(
    resolution.fresh,
    (key) => key,
    async (candidates) => new Set(candidates.filter((id) => into.index.has(id))),
  );
  const rows = bookRows({ resolution, ids, coverage: page.coverage, owner });
  const booked = [...rows, ...bookBalances(page.closingBalances, into.balances, { ...owner, currency: 'USD' })];
  for (const each of booked) fold(into, each);
  return booked.map(({ event }) => event);
};
