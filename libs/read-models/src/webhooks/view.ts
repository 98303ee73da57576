import { columnNames, type Columns } from '../columns.ts';
import { viewStatements, type TableName } from '../view.ts';
import type { WebhookRow } from './row.ts';

/** What the owner's table `webhooks` must have. Key: id. Read by (organization, environment, created_at, id). */
export const webhookColumns: Columns<WebhookRow> = {
  organization: 'text',
  environment: 'text',
  id: 'uuid',
  url: 'text',
  events: 'text[]',
  secretHint: 'text',
  active: 'boolean',
  metadata: 'jsonb',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
};

export const webhooksView = (table: TableName): readonly string[] =>
  viewStatements('webhooks_v1', `SELECT ${columnNames(webhookColumns).join(', ')} FROM ${table('webhooks')}`);
