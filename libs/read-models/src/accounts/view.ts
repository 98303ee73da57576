import { columnNames, type Columns } from '../columns.ts';
import { viewColumn } from '../field.ts';
import { viewStatements, type TableName } from '../view.ts';
import { accountFields } from './fields.ts';
import type { AccountRow } from './row.ts';

/**
 * What the owner's table `accounts` must have. Key: id. Read by (organization, environment, created_at, id), and by
 * connection_id and entity_id with the same order.
 */
export const accountColumns: Columns<AccountRow> = {
  organization: 'text',
  environment: 'text',
  entityId: 'uuid',
  id: 'uuid',
  connectionId: 'uuid',
  type: 'text',
  currency: 'text',
  name: 'text',
  officialName: 'text',
  status: 'text',
  maskedNumber: 'text',
  accountNumber: 'text',
  routingNumber: 'text',
  swiftBic: 'text',
  currentBalance: 'numeric',
  availableBalance: 'numeric',
  balanceAsOf: 'timestamptz',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
};

export const accountsView = (table: TableName): readonly string[] => {
  const derived = accountFields.filter((field) => field.derived !== undefined).map(viewColumn);
  const columns = [...columnNames(accountColumns), ...derived].join(', ');
  return viewStatements('accounts_v1', `SELECT ${columns} FROM ${table('accounts')}`, {
    readers: ['causeway_transfers'],
  });
};
