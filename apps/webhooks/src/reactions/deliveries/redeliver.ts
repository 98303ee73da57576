import type { Pool } from '@causeway/postgres';

const again = `
WITH receiver AS (
  SELECT id FROM webhooks.endpoint WHERE id = $1 AND active FOR SHARE
)
UPDATE webhooks.delivery d
   SET status = 'pending', attempts_before = attempts, next_attempt_at = clock_timestamp()
  FROM receiver WHERE d.endpoint_id = receiver.id`;

/** Begins the schedule of one delivery anew, whatever became of it. 0: there is none, or its registration is inactive. */
export const redeliver = async (pool: Pool, webhookId: string, eventId: string): Promise<number> =>
  (await pool.query(`${again} AND d.notification_id = $2`, [webhookId, eventId])).rowCount ?? 0;

/** The same for everything since `since` that was not delivered; what waits for its next attempt is tried at once. */
export const redeliverSince = async (pool: Pool, webhookId: string, since: string): Promise<number> =>
  (await pool.query(`${again} AND d.status <> 'delivered' AND d.created_at >= $2`, [webhookId, since])).rowCount ?? 0;
