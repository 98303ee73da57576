import { DataKeyDestroyed } from '@causeway/data-keys';
import {
  bookPage as eventsOf,
  firstSightKey,
  mintIds,
  seenRow,
  type Booked,
  type Covered,
  type KnownRow,
  type SeenRow,
  type StatedBalance,
} from '@causeway/domain/ledger';
import { StreamContended, StreamErased, type EventStore, type Revision } from '@causeway/event-sourcing';
import { inTransaction, type PoolClient } from '@causeway/postgres';
import type { Account } from './account.ts';
import { appendSlices } from './append-slices.ts';
import type { BookOutcome, Books, PageToBook, WholePage } from './books.ts';
import { breathing } from './breath.ts';
import { catchUp } from './catch-up.ts';
import { isClosed, lockForBooking, unlessClosed } from './connection-lock.ts';
import { digest } from './digest.ts';
import { readBalances, readCovered, readKnown, readRevision, readTaken, spansOf } from './read-index.ts';
import { recordBytes } from './run-events.ts';
import { recordPage } from './runs.ts';
import { transactionIds } from './transaction-ids.ts';
import { writeIndex } from './write-index.ts';

/** Another writer of the account is a message that was delivered to two; that ends by itself. */
const attemptsMax = 16;

/** The stream goes on beyond where the index was read to stand. */
class IndexBehind extends Error {}

/** The rows of a page, and the ids they get if they are new and nobody has them. */
type Sight = Readonly<{ seen: readonly SeenRow[]; idOf: (key: string) => string; firstIds: readonly string[] }>;

const sightOf = async ({ account: { connectionId, accountId }, page }: PageToBook): Promise<Sight> => {
  const made = new Map<string, string>();
  const make = transactionIds(connectionId, accountId);
  const idOf = (key: string): string => {
    const id = made.get(key) ?? make(key);
    made.set(key, id);
    return id;
  };
  const [seen, firstIds]: [SeenRow[], string[]] = [[], []];
  const breathe = breathing();
  for (const [index, row] of page.rows.entries()) {
    const sight = seenRow(row, digest);
    seen.push(sight);
    firstIds.push(idOf(firstSightKey(sight, 1)));
    if (index % 100 === 99) await breathe();
  }
  return { seen, idOf, firstIds };
};

type Read = Readonly<{
  closed: boolean;
  from: Revision | undefined;
  known: readonly KnownRow[];
  covered: readonly Covered[];
  balances: ReadonlyMap<string, StatedBalance>;
  /** Of the first ids. */
  taken: ReadonlySet<string>;
}>;

/** All that the page is compared with, by one round trip: a page waits for each as long as for its own work. */
const readBooks = async (tx: PoolClient, { account, page }: PageToBook, { firstIds }: Sight): Promise<Read> => {
  const { accountId, connectionId } = account;
  const [, closed, from, known, covered, balances, taken] = await Promise.all([
    lockForBooking(tx, connectionId),
    isClosed(tx, connectionId),
    readRevision(tx, accountId),
    readKnown(tx, accountId, page),
    readCovered(tx, accountId, spansOf(page)),
    readBalances(tx, accountId, page),
    readTaken(tx, accountId, firstIds),
  ]);
  return { closed, from, known, covered, balances, taken };
};

/** What the page changes, by what the index knows. */
const decide = async (tx: PoolClient, task: PageToBook, sight: Sight, read: Read): Promise<readonly Booked[]> => {
  const { accountId, connectionId, entityId, currency } = task.account;
  const { coverage, closingBalances: closings } = task.page;
  const { known, covered, balances } = read;
  const asked = new Set(sight.firstIds);
  const idsFor = (fresh: readonly SeenRow[]) =>
    mintIds(fresh, sight.idOf, async (candidates) =>
      candidates.every((id) => asked.has(id)) ? read.taken : readTaken(tx, accountId, candidates),
    );
  const said = { place: task.place, seen: sight.seen, coverage, closings };
  const owner = { entityId, connectionId, currency };
  const booked = await eventsOf({ owner, ...said, known, covered, balances }, idsFor);
  const opening: Booked = {
    event: { type: 'LedgerOpened', data: { entityId, connectionId, accountId, currency } },
    change: undefined,
  };
  return read.from !== undefined || booked.length === 0 ? booked : [opening, ...booked];
};

/** The page is dealt with: notes it, and tells once in a while how far its run is. */
const record = async (store: EventStore, tx: PoolClient, task: WholePage, refusal: string | null): Promise<void> => {
  const sum = await recordPage(tx, task, refusal);
  if (sum !== undefined) await recordBytes(store, task, sum);
};

type Attempt = Readonly<{ store: EventStore; tx: PoolClient; sight: Sight }>;

const attempt = async ({ store, tx, sight }: Attempt, task: PageToBook): Promise<BookOutcome> => {
  const { account, runId, place } = task;
  const read = await readBooks(tx, task, sight);
  if (read.closed) return 'closed';
  const { from, covered } = read;
  const booked = await decide(tx, task, sight, read);
  if (booked.length === 0) {
    await record(store, tx, task, null);
    return 'booked';
  }
  const to = ((from ?? -1) + booked.length) as Revision;
  const folded = booked.map((each) => ({ ...each, runId, place }));
  // Side by side: the index is committed once the events are stored, and not at all when they are not.
  const [appended] = await Promise.all([
    appendSlices(store, task, from, booked),
    writeIndex(tx, { account, from, to, covered, folded }),
    record(store, tx, task, null),
  ]);
  if (appended === 'conflict') throw new IndexBehind();
  return 'booked';
};

const bringUp = ({ pool, store }: Books, account: Account): Promise<void> =>
  unlessClosed(pool, account.connectionId, (tx) => catchUp(tx, store, account));

/**
 * Compares a page with what is known of the account and appends what it changes. Safe to repeat: what has been appended
 * is known then. A crash between append and index is made good by whoever meets the conflict.
 */
export const bookPage = async (books: Books, task: PageToBook): Promise<BookOutcome> => {
  const { pool, store } = books;
  // Before there is a session: a large page takes longer than one may be kept waiting.
  const sight = await sightOf(task);
  for (let count = 1; count <= attemptsMax; count++) {
    try {
      return await inTransaction(pool, (tx) => attempt({ store, tx, sight }, task));
    } catch (error) {
      if (error instanceof DataKeyDestroyed || error instanceof StreamErased) return 'closed';
      if (!(error instanceof IndexBehind)) throw error;
    }
    await bringUp(books, task.account);
  }
  throw new StreamContended(`ledger of account ${task.account.accountId}: gave up after ${attemptsMax} conflicts`);
};

/** Nothing of the page is booked, and the run goes on without it. */
export const refusePage = ({ pool, store }: Books, task: WholePage, reason: string): Promise<void> =>
  unlessClosed(pool, task.account.connectionId, (tx) => record(store, tx, task, reason));
