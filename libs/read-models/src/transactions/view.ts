import { viewStatements, type TableName } from '../view.ts';

/**
 * What the owner's table `transactions` has. `json`: the text that lists show, its members those of `transactionFields`;
 * of a removed row its identifiers and `updatedAt`. The other columns are what rows are found and sorted by. `sort_date`:
 * the posted date, `infinity` while there is none, so that a row without one sorts as newest. `added_at`: when the row
 * first appeared. `event_id`: of its latest change.
 */
export const transactionViewColumns = [
  ...(['id', 'organization', 'environment', 'entity_id', 'connection_id', 'account_id', 'status', 'rail'] as const),
  ...(['sort_date', 'added_at', 'updated_at', 'event_id', 'removed', 'json'] as const),
];

/**
 * What the versions of a row have: of a row as it is now, `superseded_at` is infinity. `cause`, `reason`, `operator`: what
 * made it a version; null: it was recorded, or no person did.
 */
const versionColumns = [
  ...(['id', 'organization', 'environment', 'entity_id', 'connection_id', 'account_id', 'status', 'rail'] as const),
  ...(['sort_date', 'updated_at', 'event_id', 'removed', 'cause', 'reason', 'operator', 'json'] as const),
].join(', ');

/**
 * Rows of an erased connection are hidden from the moment it is in `erased_connection` until they are removed rows
 * without content. Beside the OR the look-up never becomes a join, which could cost the order; and of a NOT EXISTS
 * Postgres expects that half of the rows pass, of a subquery IS NULL that next to none do, so that it would sort a whole
 * history for a page.
 */
export const transactionsView = (table: TableName): readonly string[] => {
  const erased = `EXISTS (SELECT FROM ${table('erased_connection')} e WHERE e.connection_id = t.connection_id)`;
  return viewStatements(
    'transactions_v1',
    `SELECT ${transactionViewColumns.join(', ')} FROM ${table('transactions')} t WHERE removed OR NOT ${erased}`,
  );
};

/**
 * Rows as they are and as they were, none of an erased connection. The condition stands around both: with one of its own,
 * neither could give its rows in the order of a page. IS TRUE keeps the look-up from becoming a join, too.
 */
export const transactionVersionsView = (table: TableName): readonly string[] => {
  const erased = `EXISTS (SELECT FROM ${table('erased_connection')} e WHERE e.connection_id = t.connection_id)`;
  const select = (logical: string, supersededAt: string): string =>
    `SELECT ${versionColumns}, ${supersededAt} AS superseded_at FROM ${table(logical)}`;
  const both = `${select('transactions', `timestamptz 'infinity'`)} UNION ALL ${select('transaction_versions', 'superseded_at')}`;
  return viewStatements('transaction_versions_v1', `SELECT * FROM (${both}) t WHERE (NOT ${erased}) IS TRUE`);
};
