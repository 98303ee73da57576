import type { TransactionContent } from '@causeway/domain/ledger';
import type { Columns } from '@causeway/read-models';

/** Raised with every change of the table or of what is folded into it: the service then builds the new one by itself. */
export const transactionsVersion = 1;

/** What the bank said of a transaction. A field that is added to the content gets its column here. */
const contentColumns = {
  postedDate: 'date',
  amount: 'numeric',
  currency: 'text',
  description: 'text',
  rail: 'text',
  rawDescription: 'text',
  customerReference: 'text',
  bankReference: 'text',
  baiCode: 'text',
  category: 'text',
  subcategory: 'text',
  mcc: 'text',
  merchantName: 'text',
  counterpartyName: 'text',
  counterpartyAccountEnd: 'text',
} as const satisfies Columns<TransactionContent>;

/** A removed row has its ids, `updatedAt` and `eventId` and nothing else: no `status`, no content. */
export type TransactionRow = Readonly<{
  id: string;
  organization: string | null;
  environment: 'live' | 'test' | null;
  entityId: string;
  connectionId: string;
  accountId: string;
  status: 'pending' | 'posted' | 'cancelled' | null;
  /** When it first appeared, and when a field that a client can see last changed: `recordedAt` of those events. */
  addedAt: string;
  updatedAt: string;
  /** Of the latest change. */
  eventId: string;
  removed: boolean;
}> &
  Readonly<{ [Field in keyof TransactionContent]: TransactionContent[Field] | null }>;

export const transactionColumns: Columns<TransactionRow> = {
  id: 'uuid',
  organization: 'text',
  environment: 'text',
  entityId: 'uuid',
  connectionId: 'uuid',
  accountId: 'uuid',
  status: 'text',
  ...contentColumns,
  addedAt: 'timestamptz',
  updatedAt: 'timestamptz',
  eventId: 'uuid',
  removed: 'boolean',
};

/** Of the content, what is neither ours nor found by. */
export const writtenColumns = (Object.keys(contentColumns) as (keyof TransactionContent)[]).filter(
  (name) => !['postedDate', 'currency', 'rail'].includes(name),
);

/** What is left of the content of a transaction that is gone. */
export const noContent = Object.fromEntries(Object.keys(contentColumns).map((name) => [name, null])) as {
  readonly [Field in keyof TransactionContent]: null;
};

/** A row without a posted date sorts as newest. */
export const transactionExtras: readonly string[] = [
  `sort_date date NOT NULL GENERATED ALWAYS AS (coalesce(posted_date, 'infinity'::date)) STORED`,
];

/**
 * One index for each scope that a client can ask for, in each of the two orders; read from either end, as the id goes the
 * way of the order. Removed rows are in the feed only. In `updated_at` order every new entry goes to the end of its scope,
 * so that these cost little. Other filters are checked on the rows found, but the few rows that are not posted have
 * an index of their own: to ask for them must not read a whole history.
 */
export const transactionIndexes: readonly string[] = [
  ...['organization, environment', 'connection_id', 'account_id', 'entity_id'].flatMap((scope) => [
    `(${scope}, sort_date, id) WHERE NOT removed`,
    `(${scope}, updated_at, id)`,
  ]),
  `(organization, environment, status, sort_date, id) WHERE NOT removed AND status <> 'posted'`,
];
