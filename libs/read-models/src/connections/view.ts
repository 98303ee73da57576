import { columnNames, type Columns } from '../columns.ts';
import { viewStatements, type TableName } from '../view.ts';
import type { ConnectionRow } from './row.ts';

/** What the owner's table `connections` must have. Key: id. Read by (organization, environment, created_at, id). */
export const connectionColumns: Columns<ConnectionRow> = {
  organization: 'text',
  environment: 'text',
  id: 'uuid',
  entityId: 'uuid',
  kind: 'text',
  institutionId: 'text',
  institutionName: 'text',
  portalUrl: 'text',
  status: 'text',
  syncStatus: 'text',
  lastSyncedAt: 'timestamptz',
  errorCode: 'text',
  errorMessage: 'text',
  setup: 'jsonb',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
};

export const connectionsView = (table: TableName): readonly string[] =>
  viewStatements('connections_v1', `SELECT ${columnNames(connectionColumns).join(', ')} FROM ${table('connections')}`, {
    readers: ['causeway_transfers'],
  });
