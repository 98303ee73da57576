import type { BalanceCause } from '@causeway/domain/ledger';
import type { Columns } from '@causeway/read-models';

/**
 * A day of an account. `ledgerBalance` null: no closing balance of the account is known, and the row is not shown; its
 * delta is kept for when one is.
 */
export type BalanceRow = Readonly<{
  organization: string | null;
  environment: 'live' | 'test' | null;
  entityId: string;
  connectionId: string;
  accountId: string;
  date: string;
  currency: string;
  ledgerBalance: string | null;
  postedTransactionDelta: string;
  source: 'bankProvided' | 'derived';
  updatedAt: string | null;
  /** Of the latest change; `cause` null: it was derived. */
  eventId: string | null;
  cause: Exclude<BalanceCause, 'derived'> | null;
  /** Why, and by whom, where a person had it done. */
  reason: string | null;
  operator: string | null;
  /** Of the page that led to it; null where none did. */
  place: string | null;
}>;

export const balanceColumns: Columns<BalanceRow> = {
  organization: 'text',
  environment: 'text',
  entityId: 'uuid',
  connectionId: 'uuid',
  accountId: 'uuid',
  date: 'date',
  currency: 'text',
  ledgerBalance: 'numeric',
  postedTransactionDelta: 'numeric',
  source: 'text',
  updatedAt: 'timestamptz',
  eventId: 'uuid',
  cause: 'text',
  reason: 'text',
  operator: 'text',
  place: 'numeric',
};

/** A day as it was shown. */
export type BalanceVersionRow = BalanceRow & Readonly<{ supersededAt: string }>;

export const balanceVersionColumns: Columns<BalanceVersionRow> = { ...balanceColumns, supersededAt: 'timestamptz' };

/** Whose the days are, and which there are: the first, the last, and the first that the bank stated. */
export type BalanceAccountRow = Readonly<{
  organization: string | null;
  environment: 'live' | 'test' | null;
  entityId: string;
  connectionId: string;
  accountId: string;
  currency: string;
  firstDay: string | null;
  lastDay: string | null;
  firstAnchor: string | null;
}>;

export const balanceAccountColumns: Columns<BalanceAccountRow> = {
  organization: 'text',
  environment: 'text',
  entityId: 'uuid',
  connectionId: 'uuid',
  accountId: 'uuid',
  currency: 'text',
  firstDay: 'date',
  lastDay: 'date',
  firstAnchor: 'date',
};

/** In both orders of the list, for each scope that a client can ask for. The primary key serves one account's dates. */
const indexesWhere = (shown: string): readonly string[] => [
  ...['organization, environment', 'connection_id', 'entity_id'].flatMap((scope) => [
    `(${scope}, date DESC, account_id)${shown}`,
    `(${scope}, updated_at, account_id, date)${shown}`,
  ]),
  `(account_id, updated_at, date)${shown}`,
];

export const balanceIndexes = indexesWhere(' WHERE ledger_balance IS NOT NULL');
export const balanceVersionIndexes = indexesWhere('');
