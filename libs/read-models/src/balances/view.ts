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
