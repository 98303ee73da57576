import { viewColumn } from '../field.ts';
import { viewStatements, type TableName } from '../view.ts';
import { balanceFields } from './fields.ts';

/** What the owner's table `balances` has beside the fields. */
export const balanceKeyColumns = ['organization', 'environment'] as const;

/** A row whose `ledger_balance` is null is not shown: no anchor of its account is known yet. */
export const balancesView = (table: TableName): readonly string[] => {
  const columns = [...balanceKeyColumns, ...balanceFields.map(viewColumn)].join(', ');
  return viewStatements('balances_v1', `SELECT ${columns} FROM ${table('balances')} WHERE ledger_balance IS NOT NULL`);
};

/** Days as they are and as they were. Of one that is as it is now, `superseded_at` is infinity; `cause` null: it was derived. */
export const balanceVersionsView = (table: TableName): readonly string[] => {
  const columns = [...balanceKeyColumns, ...balanceFields.map(viewColumn), 'event_id', 'cause', 'reason', 'operator'];
  const select = (logical: string, supersededAt: string): string =>
    `SELECT ${columns.join(', ')}, ${supersededAt} AS superseded_at FROM ${table(logical)}`;
  // Around both: with a condition of its own, neither could give its rows in the order of a page.
  const both = `${select('balances', `timestamptz 'infinity'`)} UNION ALL ${select('balance_versions', 'superseded_at')}`;
  return viewStatements('balance_versions_v1', `SELECT * FROM (${both}) b WHERE ledger_balance IS NOT NULL`);
};
