import assert from 'node:assert/strict';
import { bookPage, type Booked, type StatedBalance } from '../booking.ts';
import { addClaims, claimsOf, type Covered } from '../covered.ts';
import { mintIds } from '../first-sight.ts';
import { identityChange, type KnownRow } from '../identity.ts';
import { seenRow, type Digest } from '../imprint.ts';
import type { LedgerEvent } from '../ledger.events.ts';
import { remapPage } from '../remap.ts';
import { placeOf, type Place } from '../place.ts';
import type { StatementPage, TransactionContent } from '../statement.ts';

/** No two texts share it; what it hides is of no concern here. */
const digest: Digest = (text) => text;

const owner = { entityId: 'entity', connectionId: 'connection', currency: 'USD' };

export type Shown = TransactionContent & Readonly<{ status: string }>;

/** An account's ledger in memory: the rules as the service runs them, with the index and the read model as plain maps. */
export type Book = {
  index: Map<string, KnownRow>;
  covered: readonly Covered[];
  balances: Map<string, StatedBalance>;
  shown: Map<string, Shown>;
  /** The run of a page that comes without a place: each is newer than the one before. */
  runs: number;
};

export const emptyBook = (): Book => ({
  index: new Map(),
  covered: [],
  balances: new Map(),
  shown: new Map(),
  runs: 0,
});

/** The rows that the service would read for the page. */
const namedBy = (book: Book, { coverage, rows }: StatementPage): KnownRow[] => {
  const days = new Set(rows.map(({ day }) => day));
  const bankIds = new Set(rows.flatMap(({ bankId, reversalOf = null }) => [bankId, reversalOf]));
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
      book.shown.set(event.data.transactionId, { ...event.data.content, status: event.data.status });
      break;
    case 'TransactionRestated':
    case 'TransactionRemapped': {
      const isReversed = book.shown.get(event.data.transactionId)?.status === 'reversed';
      book.shown.set(event.data.transactionId, {
        ...event.data.content,
        status: isReversed ? 'reversed' : event.data.status,
      });
      break;
    }
    case 'TransactionReversed':
    case 'TransactionReversalWithdrawn': {
      const status = event.type === 'TransactionReversed' ? 'reversed' : 'posted';
      book.shown.set(event.data.transactionId, { ...book.shown.get(event.data.transactionId)!, status });
      break;
    }
    case 'TransactionPosted':
      book.shown.set(event.data.transactionId, { ...event.data.content, status: 'posted' });
      break;
    case 'TransactionCancelled':
      book.shown.set(event.data.transactionId, { ...book.shown.get(event.data.transactionId)!, status: 'cancelled' });
      break;
    case 'TransactionWithdrawn':
      book.shown.delete(event.data.transactionId);
      break;
    default:
  }
};

const fold = (book: Book, place: Place, { event, change }: Booked): void => {
  // The shortcut of a decision and the fold of its event must agree: the index is rebuilt by the fold.
  assert.deepEqual(identityChange(event, place, digest), change);
  const { index } = book;
  if (change?.type === 'row') {
    const { row } = change;
    index.set(row.transactionId, { ...row, reverses: index.get(row.transactionId)?.reverses ?? null });
  }
  if (change?.type === 'gone') {
    const { transactionId, status } = change;
    index.set(transactionId, { ...index.get(transactionId)!, status, place, reverses: null });
  }
  if (change?.type === 'counter') {
    const { transactionId, reverses } = change;
    index.set(transactionId, { ...index.get(transactionId)!, reverses });
  }
  if (change?.type === 'shown') for (const id of change.transactionIds) index.set(id, { ...index.get(id)!, place });
  if (event.type === 'PageBooked') {
    book.covered = addClaims(book.covered, claimsOf(event.data.coverage, place));
    for (const date of event.data.balances) book.balances.set(date, { ...book.balances.get(date)!, place });
  }
  if (event.type === 'BalanceReported' || event.type === 'BalanceRemapped')
    book.balances.set(event.data.date, { amount: event.data.amount, place });
  show(book, event);
};

type Rules = typeof bookPage;

const applyAt = async (
  into: Book,
  place: Place,
  page: StatementPage,
  rules: Rules,
): Promise<readonly LedgerEvent[]> => {
  const { coverage, closingBalances: closings } = page;
  const seen = page.rows.map((row) => seenRow(row, digest));
  const { covered, balances } = into;
  const booked = await rules(
    { owner, place, seen, coverage, closings, known: namedBy(into, page), covered, balances },
    (fresh) =>
      mintIds(
        fresh,
        (key) => key,
        async (candidates) => new Set(candidates.filter((id) => into.index.has(id))),
      ),
  );
  for (const each of booked) fold(into, place, each);
  return booked.map(({ event }) => event);
};

/** Books a page and answers every event of it. */
export const bookAt = (into: Book, place: Place, page: StatementPage): Promise<readonly LedgerEvent[]> =>
  applyAt(into, place, page, bookPage);

export const person = { reason: 'ticket 7', operator: 'anna' };

/** The same for a page that was booked before, and is mapped otherwise now. */
export const remapAt = (into: Book, place: Place, page: StatementPage): Promise<readonly LedgerEvent[]> =>
  applyAt(into, place, page, (said, idsFor) => remapPage(said, person, idsFor));

/** Books a page that is newer than all before, and answers what it changed. */
export const book = async (into: Book, page: StatementPage): Promise<readonly LedgerEvent[]> => {
  const events = await bookAt(into, placeOf(++into.runs, 0), page);
  return events.filter(({ type }) => type !== 'PageBooked');
};
