import type { Columns } from '../columns.ts';
import { viewStatements, type TableName } from '../view.ts';
import type { WebhookDeliveryRow } from './row.ts';

export const webhookDeliveryColumns: Columns<WebhookDeliveryRow> = {
  organization: 'text',
  environment: 'text',
  webhookId: 'uuid',
  eventId: 'text',
  type: 'text',
  createdAt: 'timestamptz',
  status: 'text',
  nextAttemptAt: 'timestamptz',
  attempts: 'jsonb',
};

const attempts = (table: TableName): string => `
  SELECT coalesce(jsonb_agg(jsonb_build_object(
           'at', to_char(a.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'statusCode', a.status_code, 'durationMs', a.duration_ms, 'error', a.error) ORDER BY a.number), '[]')
    FROM ${table('attempt')} a WHERE a.delivery_id = d.id`;

/** Of the owner's work tables: a delivery is shown as it stands. Read by (webhook_id, created_at, event_id). */
export const webhookDeliveriesView = (table: TableName): readonly string[] =>
  viewStatements(
    'webhook_deliveries_v1',
    `SELECT e.organization, e.environment, d.endpoint_id AS webhook_id, d.notification_id AS event_id, n.type,
            d.created_at, d.status, CASE WHEN d.status = 'pending' THEN d.next_attempt_at END AS next_attempt_at,
            (${attempts(table)}) AS attempts
       FROM ${table('delivery')} d
       JOIN ${table('endpoint')} e ON e.id = d.endpoint_id
       JOIN ${table('notification')} n ON n.id = d.notification_id`,
  );
