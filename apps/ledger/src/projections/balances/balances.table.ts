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
};

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
export const balanceIndexes: readonly string[] = [
  ...['organization, environment', 'connection_id', 'entity_id'].flatMap((scope) => [
    `(${scope}, date DESC, account_id) WHERE ledger_balance IS NOT NULL`,
    `(${scope}, updated_at, account_id, date) WHERE ledger_balance IS NOT NULL`,
  ]),
  '(account_id, updated_at, date) WHERE ledger_balance IS NOT NULL',
];
