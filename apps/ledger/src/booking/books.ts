import type { Place, StatementPage } from '@causeway/domain/ledger';
import type { EventStore } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import type { Account, Causes } from './account.ts';

/** A page that came whole. */
export type WholePage = Readonly<{
  account: Account & Readonly<{ currency: string }>;
  runId: string;
  /** Its number in the run. */
  number: number;
  place: Place;
  /** Of its parts, as they came. */
  bytes: number;
  causes: Causes;
}>;
export type PageToBook = WholePage & Readonly<{ page: StatementPage }>;

/** `closed`: the connection was deleted, and nothing was booked. */
export type BookOutcome = 'booked' | 'closed';

export type Books = Readonly<{
  /** Of the service's role, pipelined. Not the pool that `store` works with: an append is waited for with a session in hand. */
  pool: Pool;
  store: EventStore;
}>;
