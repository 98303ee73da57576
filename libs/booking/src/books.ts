import type { Place, StatementPage } from '@causeway/domain/ledger';
import type { EventStore } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import type { Account, Causes } from './account.ts';

/** A page of an account's record, in our words. */
export type MappedPage = Readonly<{
  account: Account & Readonly<{ currency: string }>;
  place: Place;
  page: StatementPage;
  causes: Causes;
  /** The run that its changes are counted for; left out where they count for none. */
  runId?: string;
}>;

export type Books = Readonly<{
  /** Of the service's role, pipelined. Not the pool that `store` works with: an append is waited for with a session in hand. */
  pool: Pool;
  store: EventStore;
}>;
