import { appendChanges, unlessClosed, type Books } from '@causeway/booking';
import { bookPage as rules } from '@causeway/domain/ledger';
import type { EventStore } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import { recordBytes } from './run-events.ts';
import { recordPage } from './runs.ts';
import type { PageToBook, WholePage } from './whole-page.ts';

/** The page is dealt with: notes it, and tells once in a while how far its run is. */
const record = async (store: EventStore, tx: PoolClient, task: WholePage, refusal: string | null): Promise<void> => {
  const sum = await recordPage(tx, task, refusal);
  if (sum !== undefined) await recordBytes(store, task, sum);
};

/** `closed`: the connection was deleted, and nothing was booked. */
export const bookPage = async (books: Books, task: PageToBook): Promise<'booked' | 'closed'> => {
  const noted = (tx: PoolClient): Promise<void> => record(books.store, tx, task, null);
  const changes = await appendChanges(books, task, { rules, record: noted });
  return changes === 'closed' ? 'closed' : 'booked';
};

/** Nothing of the page is booked, and the run goes on without it. */
export const refusePage = ({ pool, store }: Books, task: WholePage, reason: string): Promise<void> =>
  unlessClosed(pool, task.account.connectionId, (tx) => record(store, tx, task, reason));
