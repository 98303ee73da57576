import { DataKeyDestroyed } from '@causeway/data-keys';
import {
  bookBalances,
  bookRows,
  mintIds,
  resolve,
  seenRow,
  type Booked,
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
import { transactionIds } from './transaction-ids.ts';
import { writeIndex } from './write-index.ts';

export type PageToBook = Readonly<{
  account: Account & Readonly<{ currency: string }>;
  runId: string;
  page: StatementPage;
  causes: Causes;
}>;

/** `closed`: the connection was deleted, and nothing was booked. */
export type BookOutcome = 'booked' | 'closed';

export type Books = Readonly<{
  /** Of the service's role. Not the pool that `store` works with: an append is waited for with a session in hand. */
  pool: Pool;
  store: EventStore;
}>;

/** Another writer of the account is a message that was delivered to two; that ends by itself. */
const attemptsMax = 16;

/** What the page changes, by what the index knows. */
const decide = async (tx: PoolClient, { account, page }: PageToBook, opened: boolean): Promise<readonly Booked[]> => {
  const { accountId, connectionId, entityId, currency } = account;
  const owner = { entityId, connectionId };
  const { coverage, rows } = page;
  const known = opened ? await readKnown(tx, accountId, page) : [];
  const resolution = resolve(
    known,
    rows.map((row) => seenRow(row, digest)),
    coverage,
  );
  const ids = await mintIds(resolution.fresh, transactionIds(connectionId, accountId), (candidates) =>
    opened ? readTaken(tx, accountId, candidates) : Promise.resolve(new Set()),
  );
  const booked = bookRows({ resolution, ids, coverage, owner });
  const balances = bookBalances(page.closingBalances, await readBalances(tx, accountId, page), { ...owner, currency });
  const opening: Booked = {
    event: { type: 'LedgerOpened', data: { ...owner, accountId, currency } },
    change: undefined,
  };
  const found = [...booked, ...balances];
  return opened || found.length === 0 ? found : [opening, ...found];
};

const attempt = async (store: EventStore, tx: PoolClient, task: PageToBook): Promise<BookOutcome | 'conflict'> => {
  const { account, runId, causes } = task;
  await lockForBooking(tx, account.connectionId);
  if (await isClosed(tx, account.connectionId)) return 'closed';
  const from = await readRevision(tx, account.accountId);
  const booked = await decide(tx, task, from !== undefined);
  if (booked.length === 0) return 'booked';
  const to: Revision | 'conflict' = await appendSlices(store, { account, from, booked, runId, causes });
  if (to === 'conflict') {
    await catchUp(tx, store, account);
    return 'conflict';
  }
  // What another writer wrote in between is the same: the index is a fold of the stream.
  await writeIndex(tx, { account, from, to, folded: booked.map((each) => ({ ...each, runId })) });
  return 'booked';
};

/**
 * Compares a page with what is known of the account and appends what it changes. Safe to repeat: what has been appended
 * is known then. A crash between append and index is made good by whoever meets the conflict.
 */
export const bookPage = async ({ pool, store }: Books, task: PageToBook): Promise<BookOutcome> => {
  for (let count = 1; count <= attemptsMax; count++) {
    try {
      const outcome = await inTransaction(pool, (tx) => attempt(store, tx, task));
      if (outcome !== 'conflict') return outcome;
    } catch (error) {
      if (error instanceof DataKeyDestroyed || error instanceof StreamErased) return 'closed';
      throw error;
    }
  }
  throw new StreamContended(`ledger of account ${task.account.accountId}: gave up after ${attemptsMax} conflicts`);
};
