import type { Rail, TransactionCause } from '@causeway/domain/ledger';
import type { Columns } from '@causeway/read-models';

/** Raised with every change of the table or of what is folded into it: the service then builds the new one by itself. */
export const transactionsVersion = 1;

/** A removed row has its ids, `updatedAt` and `eventId` and nothing else: no `status`, no content. */
export type TransactionRow = Readonly<{
  id: string;
  organization: string | null;
  environment: 'live' | 'test' | null;
  entityId: string;
  connectionId: string;
  accountId: string;
  status: 'pending' | 'posted' | 'reversed' | 'cancelled' | null;
  rail: Rail | null;
  /** The posted date; `infinity` while there is none, so that the row sorts as newest. */
  sortDate: string | null;
  /** When it first appeared, and when a field that a client can see last changed: `recordedAt` of those events. */
  addedAt: string;
  updatedAt: string;
  /** Of the latest change. */
  eventId: string;
  /** What that change was; null: `recorded`, as it is of nearly all rows, which then need no place for it. */
  cause: Exclude<TransactionCause, 'recorded'> | null;
  /** Why, and by whom, where a person had it done. */
  reason: string | null;
  operator: string | null;
  removed: boolean;
  /** The transaction as lists show it. */
  json: string;
}>;

export const transactionColumns: Columns<TransactionRow> = {
  id: 'uuid',
  organization: 'text',
  environment: 'text',
  entityId: 'uuid',
  connectionId: 'uuid',
  accountId: 'uuid',
  status: 'text',
  rail: 'text',
  sortDate: 'date',
  addedAt: 'timestamptz',
  updatedAt: 'timestamptz',
  eventId: 'uuid',
  cause: 'text',
  reason: 'text',
  operator: 'text',
  removed: 'boolean',
  json: 'text',
};

const byDate = (scope: string): readonly string[] => [
  `(${scope}, sort_date, id) WHERE NOT removed`,
  `(${scope}, status, sort_date, id) WHERE status <> 'posted'`,
];

const byChange = (scope: string): readonly string[] => [
  `(${scope}, updated_at, id)`,
  `(${scope}, status, updated_at, id) WHERE status <> 'posted'`,
];

/**
 * One index for each scope that a client can ask for, in each of the two orders; read from either end, as the id goes the
 * way of the order. Removed rows are in the feed only. In `updated_at` order every new entry goes to the end of its scope,
 * so that these cost little. The few rows that are not posted have indexes of their own: to ask for them must not walk
 * over a whole history. Other filters, and an entity in the order of changes, are looked at along the walk: every index
 * is paid for with every row that comes.
 */
export const transactionIndexes: readonly string[] = [
  ...['organization, environment', 'connection_id', 'account_id', 'entity_id'].flatMap(byDate),
  ...['organization, environment', 'connection_id', 'account_id'].flatMap(byChange),
];

/**
 * Of rows as they were, in the same orders; a status is looked at along the walk. They are few beside the rows, and what
 * was shown is asked for less often than what is.
 */
export const transactionVersionIndexes: readonly string[] = [
  ...['organization, environment', 'connection_id', 'account_id', 'entity_id'].map(
    (scope) => `(${scope}, sort_date, id) WHERE NOT removed`,
  ),
  ...['organization, environment', 'connection_id', 'account_id'].map((scope) => `(${scope}, updated_at, id)`),
];
