import { DataKeyDestroyed } from '@causeway/data-keys';
import {
  bookBalances,
  bookRows,
  firstSightKey,
  mintIds,
  resolve,
  seenRow,
  type Booked,
  type KnownRow,
  type SeenRow,
  type StatementPage,
} from '@causeway/domain/ledger';
import { StreamContended, StreamErased, type EventStore, type Revision } from '@causeway/event-sourcing';
import { inTransaction, type Pool, type PoolClient } from '@causeway/postgres';
import type { Account, Causes } from './account.ts';
import { appendSlices } from './append-slices.ts';
import { catchUp } from './catch-up.ts';
import { isClosed, lockForBooking } from './connection-lock.ts';
import { digest } from './digest.ts';
import { readBalances, readKnown, readRevision, readTaken } from './read-index.ts';
import { recordPage } from './runs.ts';
import { transactionIds } from './transaction-ids.ts';
import { writeIndex } from './write-index.ts';

export type PageToBook = Readonly<{
  account: Account & Readonly<{ currency: string }>;
  runId: string;
  /** Its number in the run. */
  number: number;
  page: StatementPage;
  causes: Causes;
}>;

/** `closed`: the connection was deleted, and nothing was booked. */
export type BookOutcome = 'booked' | 'closed';

export type Books = Readonly<{
  /** Of the service's role, pipelined. Not the pool that `store` works with: an append is waited for with a session in hand. */
  pool: Pool;
  store: EventStore;
}>;

/** Another writer of the account is a message that was delivered to two; that ends by itself. */
const attemptsMax = 16;

/** The stream goes on beyond where the index was read to stand. */
class IndexBehind extends Error {}

/** The rows of a page, and the ids they get if they are new and nobody has them. */
type Sight = Readonly<{ seen: readonly SeenRow[]; idOf: (key: string) => string; firstIds: readonly string[] }>;

const sightOf = ({ account: { connectionId, accountId }, page }: PageToBook): Sight => {
  const seen = page.rows.map((row) => seenRow(row, digest));
  const made = new Map<string, string>();
  const make = transactionIds(connectionId, accountId);
  const idOf = (key: string): string => {
    const id = made.get(key) ?? make(key);
    made.set(key, id);
    return id;
  };
  return { seen, idOf, firstIds: seen.map((row) => idOf(firstSightKey(row, 1))) };
};

type Read = Readonly<{
  closed: boolean;
  from: Revision | undefined;
  known: readonly KnownRow[];
  balances: ReadonlyMap<string, string>;
  /** Of the first ids. */
  taken: ReadonlySet<string>;
}>;

/** All that the page is compared with, by one round trip: a page waits for each as long as for its own work. */
const readBooks = async (tx: PoolClient, { account, page }: PageToBook, { firstIds }: Sight): Promise<Read> => {
  const { accountId, connectionId } = account;
  const [, closed, from, known, balances, taken] = await Promise.all([
    lockForBooking(tx, connectionId),
    isClosed(tx, connectionId),
    readRevision(tx, accountId),
    readKnown(tx, accountId, page),
    readBalances(tx, accountId, page),
    readTaken(tx, accountId, firstIds),
  ]);
  return { closed, from, known, balances, taken };
};

/** What the page changes, by what the index knows. */
const decide = async (tx: PoolClient, task: PageToBook, sight: Sight, read: Read): Promise<readonly Booked[]> => {
  const { accountId, connectionId, entityId, currency } = task.account;
  const { coverage, closingBalances } = task.page;
  const owner = { entityId, connectionId };
  const resolution = resolve(read.known, sight.seen, coverage);
  const asked = new Set(sight.firstIds);
  const ids = await mintIds(resolution.fresh, sight.idOf, async (candidates) =>
    candidates.every((id) => asked.has(id)) ? read.taken : readTaken(tx, accountId, candidates),
  );
  const booked = bookRows({ resolution, ids, coverage, owner });
  const balances = bookBalances(closingBalances, read.balances, { ...owner, currency });
  const opening: Booked = {
    event: { type: 'LedgerOpened', data: { ...owner, accountId, currency } },
    change: undefined,
  };
  const found = [...booked, ...balances];
  return read.from !== undefined || found.length === 0 ? found : [opening, ...found];
};

const attempt = async (store: EventStore, tx: PoolClient, task: PageToBook): Promise<BookOutcome> => {
  const { account, runId, causes } = task;
  const sight = sightOf(task);
  const read = await readBooks(tx, task, sight);
  if (read.closed) return 'closed';
  const { from } = read;
  const booked = await decide(tx, task, sight, read);
  if (booked.length === 0) {
    await recordPage(tx, task);
    return 'booked';
  }
  const to = ((from ?? -1) + booked.length) as Revision;
  // Side by side: the index is committed once the events are stored, and not at all when they are not.
  const [appended] = await Promise.all([
    appendSlices(store, { account, from, booked, runId, causes }),
    writeIndex(tx, { account, from, to, folded: booked.map((each) => ({ ...each, runId })) }),
    recordPage(tx, task),
  ]);
  if (appended === 'conflict') throw new IndexBehind();
  return 'booked';
};

const bringUp = ({ pool, store }: Books, account: Account): Promise<void> =>
  inTransaction(pool, async (tx) => {
    await lockForBooking(tx, account.connectionId);
    if (!(await isClosed(tx, account.connectionId))) await catchUp(tx, store, account);
  });

/**
 * Compares a page with what is known of the account and appends what it changes. Safe to repeat: what has been appended
 * is known then. A crash between append and index is made good by whoever meets the conflict.
 */
export const bookPage = async (books: Books, task: PageToBook): Promise<BookOutcome> => {
  const { pool, store } = books;
  for (let count = 1; count <= attemptsMax; count++) {
    try {
      return await inTransaction(pool, (tx) => attempt(store, tx, task));
    } catch (error) {
      if (error instanceof DataKeyDestroyed || error instanceof StreamErased) return 'closed';
      if (!(error instanceof IndexBehind)) throw error;
    }
    await bringUp(books, task.account);
  }
  throw new StreamContended(`ledger of account ${task.account.accountId}: gave up after ${attemptsMax} conflicts`);
};
