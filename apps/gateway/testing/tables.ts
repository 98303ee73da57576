import type { Pool } from '@causeway/postgres';
import {
  accountColumns,
  accountsView,
  balancesView,
  balanceVersionsView,
  connectionColumns,
  connectionsView,
  entitiesView,
  entityColumns,
  progressView,
  snakeCase,
  transactionsView,
  transactionVersionsView,
  transactionViewColumns,
  transferColumns,
  transfersView,
  webhookColumns,
  webhooksView,
} from '@causeway/read-models';

const ddl = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, type]) => `${snakeCase(name)} ${type}`)
    .join(', ');

/** As the ledger keeps them: what the view asks for. */
const transactionTypes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(transactionViewColumns.map((name) => [name, 'text'])),
  ...{ id: 'uuid PRIMARY KEY', connection_id: 'uuid', account_id: 'uuid', entity_id: 'uuid', event_id: 'uuid' },
  ...{ sort_date: 'date', updated_at: 'timestamptz', added_at: 'timestamptz', removed: 'boolean' },
  ...{ cause: 'text', reason: 'text', operator: 'text' },
};

const balanceTypes: Readonly<Record<string, string>> = {
  ...{ organization: 'text', environment: 'text', accountId: 'uuid', connectionId: 'uuid', entityId: 'uuid' },
  ...{ date: 'date', currency: 'text', ledgerBalance: 'numeric', postedTransactionDelta: 'numeric', source: 'text' },
  ...{ updatedAt: 'timestamptz', eventId: 'uuid', cause: 'text', reason: 'text', operator: 'text' },
};

const tables: Readonly<Record<string, string>> = {
  entities: ddl(entityColumns),
  connections: ddl(connectionColumns),
  accounts: ddl(accountColumns),
  transfers: ddl(transferColumns),
  webhooks: ddl(webhookColumns),
  transactions: ddl(transactionTypes),
  transaction_versions: ddl({ ...transactionTypes, id: 'uuid', superseded_at: 'timestamptz' }),
  balances: ddl(balanceTypes),
  balance_versions: ddl({ ...balanceTypes, supersededAt: 'timestamptz' }),
  erased_connection: 'connection_id uuid PRIMARY KEY',
  projection: `name text, live boolean, position bigint, recorded_at timestamptz`,
  high_water: 'head bigint, known_until bigint',
};

const views = [
  entitiesView,
  connectionsView,
  accountsView,
  transfersView,
  webhooksView,
  transactionsView,
  transactionVersionsView,
  balancesView,
  balanceVersionsView,
  () => progressView('balances', 'owners', 'owners'),
  () => progressView('transactions', 'owners', 'owners'),
];

const tableOf = (logical: string): string => `owners.${logical}`;

/** Tables as the owning services would have made them, under the real views. */
export const makeReadModels = async (pool: Pool): Promise<void> => {
  await pool.query('CREATE SCHEMA owners');
  for (const [name, columns] of Object.entries(tables)) await pool.query(`CREATE TABLE ${tableOf(name)} (${columns})`);
  await pool.query(`CREATE FUNCTION owners.high_water_mark(OUT head bigint, OUT known_until bigint) SECURITY DEFINER
    LANGUAGE sql AS 'SELECT head, known_until FROM owners.high_water'`);
  for (const view of views) for (const statement of view(tableOf)) await pool.query(statement);
};

/** Adds rows of ours; members that are left out are null. */
export const insert = async (pool: Pool, table: string, rows: readonly object[]): Promise<void> => {
  const named = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [snakeCase(name), value])),
  );
  const columns = Object.keys(named[0] ?? {}).join(', ');
  await pool.query(
    `INSERT INTO ${tableOf(table)} (${columns})
     SELECT ${columns} FROM jsonb_populate_recordset(NULL::${tableOf(table)}, $1)`,
    [JSON.stringify(named)],
  );
};
