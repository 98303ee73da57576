import { viewColumn } from '../field.ts';
import { viewStatements, type TableName } from '../view.ts';
import { transactionFields } from './fields.ts';

/**
 * What the owner's table `transactions` has beside the fields. `sort_date`: the posted date, `infinity` while there is
 * none, so that a row without one sorts as newest. `added_at`: when the row first appeared. `event_id`: of its latest
 * change. `removed`: it is gone; its ids, `updated_at` and `event_id` stay for the feed.
 */
export const transactionKeyColumns = [
  'organization',
  'environment',
  'entity_id',
  'sort_date',
  'added_at',
  'event_id',
  'removed',
] as const;

/**
 * Rows of an erased connection are hidden from the moment it is in `erased_connection` until they are removed rows
 * without content. Beside the OR the look-up never becomes a join, which could cost the order; and of a NOT EXISTS
 * Postgres expects that half of the rows pass, of a subquery IS NULL that next to none do, so that it would sort a whole
 * history for a page.
 */
export const transactionsView = (table: TableName): readonly string[] => {
  const columns = [...transactionKeyColumns, ...transactionFields.map(viewColumn)].join(', ');
  const erased = `EXISTS (SELECT FROM ${table('erased_connection')} e WHERE e.connection_id = t.connection_id)`;
  return viewStatements(
    'transactions_v1',
    `SELECT ${columns} FROM ${table('transactions')} t WHERE removed OR NOT ${erased}`,
  );
};
