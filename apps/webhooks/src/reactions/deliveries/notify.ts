import type { Pool, PoolClient } from '@causeway/postgres';

/** Something to tell receivers. */
export type Notification = Readonly<{
  /** The same for the same cause, however often it is delivered to us. */
  id: string;
  type: string;
  createdAt: string;
  data: object;
  /** The request that it all began with, and the event that is told of. */
  correlationId: string;
  eventId: string;
  organization: string;
  environment: 'live' | 'test';
  /** What it is about: notifications of one subject are told in order. */
  subject: string;
  /** The one endpoint it is for. Undefined: all that want its type. */
  endpointId?: string;
}>;

/** By how much the clocks of two machines may differ. What came before a registration is not told to it, however late. */
const clocksApartSeconds = 2;

/**
 * One statement, so that the notification and its deliveries are there together or not at all; a known id adds none.
 * Whoever locks several endpoints does so in the order of their ids.
 */
const sql = `
WITH receiver AS (
  SELECT id FROM webhooks.endpoint
   WHERE active AND organization = $5 AND environment = $6 AND $2 = ANY (events) AND ($8::uuid IS NULL OR id = $8)
     AND registered_at < $4::timestamptz + interval '${clocksApartSeconds} seconds'
   ORDER BY id FOR SHARE
), told AS (
  INSERT INTO webhooks.notification (id, type, body, created_at, correlation_id, event_id)
  SELECT $1, $2, $3, $4, $9, $10 WHERE EXISTS (SELECT FROM receiver)
  ON CONFLICT DO NOTHING
  RETURNING id
)
INSERT INTO webhooks.delivery (notification_id, endpoint_id, subject, created_at)
SELECT told.id, receiver.id, $7, $4 FROM told CROSS JOIN receiver`;

/** Resolves to the number of deliveries that will now be tried. */
export const notify = async (db: Pool | PoolClient, notification: Notification): Promise<number> => {
  const { id, type, createdAt, data, organization, environment, subject, endpointId = null } = notification;
  const { correlationId, eventId } = notification;
  const body = JSON.stringify({ id, type, createdAt, data });
  const values = [id, type, body, createdAt, organization, environment, subject, endpointId, correlationId, eventId];
  return (await db.query(sql, values)).rowCount ?? 0;
};
