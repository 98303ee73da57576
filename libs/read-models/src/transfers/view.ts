import { columnNames, type Columns } from '../columns.ts';
import { viewStatements, type TableName } from '../view.ts';
import type { TransferRow } from './row.ts';

/**
 * What the owner's table `transfers` must have. Key: id. Read by (organization, environment, created_at, id), and by
 * source_account_id, destination_account_id and client_reference with the same order. Values are text: as the caller
 * wrote them.
 */
export const transferColumns: Columns<TransferRow> = {
  organization: 'text',
  environment: 'text',
  id: 'uuid',
  status: 'text',
  transferType: 'text',
  requestedValue: 'text',
  executedValue: 'text',
  currency: 'text',
  connectionId: 'uuid',
  sourceAccountId: 'uuid',
  destinationAccountId: 'uuid',
  payee: 'jsonb',
  clientReference: 'text',
  memo: 'text',
  executionDate: 'date',
  failureCode: 'text',
  failureMessage: 'text',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
  completedAt: 'timestamptz',
  matchedTransactionId: 'uuid',
};

export const transfersView = (table: TableName): readonly string[] =>
  viewStatements('transfers_v1', `SELECT ${columnNames(transferColumns).join(', ')} FROM ${table('transfers')}`);
