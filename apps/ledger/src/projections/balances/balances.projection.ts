import { daysReached, foldBalances } from '@causeway/domain/ledger';
import type { Sequenced } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import { unsampled, type Projection } from '@causeway/projections';
import {
  balancesView,
  balanceVersionsView,
  progressView,
  snakeCase,
  type ColumnType,
  type TableName,
} from '@causeway/read-models';
import { ledgerEventsSchema, ledgerSchema } from '../../migrations.ts';
import { streamsOf } from '../streams-of.ts';
import { balanceBatchOf, type BalanceBatch, type BalanceEvent } from './balance-events.ts';
import { eraseBalances, erasedAmong, loadAccounts, loadDays, saveBalances, spanOf } from './balances.store.ts';
import {
  balanceAccountColumns,
  balanceColumns,
  balanceIndexes,
  balanceVersionColumns,
  balanceVersionIndexes,
  type BalanceAccountRow,
} from './balances.table.ts';
import { correctBalances } from './correct-balances.ts';

const definitions = (columns: Readonly<Record<string, ColumnType>>): string =>
  Object.entries(columns)
    .map(([name, type]) => `${snakeCase(name)} ${type}`)
    .join(', ');

/**
 * The accounts that a batch changes. What an account of an erased connection still says after its erasure, because it
 * was under way then, finds no account here and is passed over.
 */
const accountsOf = async (
  tx: PoolClient,
  table: TableName,
  { opened, changes, erased }: BalanceBatch,
): Promise<readonly BalanceAccountRow[]> => {
  const known = await loadAccounts(
    tx,
    table,
    [...changes.keys()].filter((id) => !opened.has(id)),
  );
  const newOnes = [...opened.values()];
  const gone = await erasedAmong(
    tx,
    table,
    newOnes.map(({ connectionId }) => connectionId),
  );
  return [...known, ...newOnes].filter(({ connectionId: id }) => !gone.has(id) && !erased.includes(id));
};

/** A balance for every day of every account. `balance_account` and `erased_balances` are its own affair. */
export const balances: Projection = {
  name: 'balances',
  version: 1,
  tables: ['balances', 'balance_versions', 'balance_account', 'erased_balances'],
  ddl: (table) => [
    `CREATE TABLE ${table('balances')} (${definitions(balanceColumns)}, PRIMARY KEY (account_id, date))`,
    ...unsampled(table('balances'), ['ledger_balance', 'posted_transaction_delta']),
    `CREATE TABLE ${table('balance_versions')} (${definitions(balanceVersionColumns)},
       PRIMARY KEY (account_id, date, updated_at))`,
    ...unsampled(table('balance_versions'), ['ledger_balance', 'posted_transaction_delta']),
    `CREATE TABLE ${table('balance_account')} (${definitions(balanceAccountColumns)}, PRIMARY KEY (account_id))`,
    `CREATE TABLE ${table('erased_balances')} (connection_id uuid PRIMARY KEY)`,
  ],
  indexes: (table) => [
    ...balanceIndexes.map((definition) => `CREATE INDEX ON ${table('balances')} ${definition}`),
    ...balanceVersionIndexes.map((definition) => `CREATE INDEX ON ${table('balance_versions')} ${definition}`),
    `CREATE INDEX ON ${table('balances')} (connection_id) WHERE ledger_balance IS NULL`,
  ],
  views: (table) => [
    ...balancesView(table),
    ...balanceVersionsView(table),
    ...progressView('balances', ledgerSchema, ledgerEventsSchema),
  ],
  compared: { shown: 'r.ledger_balance IS NOT NULL', versions: 'balance_versions' },
  correct: correctBalances,
  streamsOf: streamsOf('balances'),
  async project(tx, table, batch) {
    const events = balanceBatchOf(batch as readonly Sequenced<BalanceEvent>[]);
    const changesOf = (accountId: string) => events.changes.get(accountId) ?? [];
    const accounts = await accountsOf(tx, table, events);
    const reaches = accounts.flatMap((account) => {
      const reached = daysReached(spanOf(account), changesOf(account.accountId));
      return reached === null ? [] : [{ accountId: account.accountId, ...reached }];
    });
    const known = await loadDays(tx, table, reaches);
    const changed = accounts.map((account) => {
      const { accountId } = account;
      const before = { span: spanOf(account), days: known.get(accountId) ?? [] };
      return { account, balances: foldBalances(before, changesOf(accountId)) };
    });
    await saveBalances(tx, table, changed);
    await eraseBalances(tx, table, events.erased);
  },
};
