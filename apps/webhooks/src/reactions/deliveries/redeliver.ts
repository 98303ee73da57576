import type { Pool } from '@causeway/postgres';

/** The ends of attempts are recorded meanwhile: whoever changes many deliveries locks them in the order of their ids. */
const again = (which: string): string => `
WITH receiver AS (
  SELECT id FROM webhooks.endpoint WHERE id = $1 AND active FOR SHARE
), again AS MATERIALIZED (
  SELECT d.id FROM webhooks.delivery d JOIN receiver ON receiver.id = d.endpoint_id
   WHERE ${which} ORDER BY d.id FOR NO KEY UPDATE OF d
)
UPDATE webhooks.delivery d
   SET status = 'pending', attempts_before = attempts, next_attempt_at = clock_timestamp()
  FROM again WHERE d.id = again.id`;

const ofEvent = again('d.notification_id = $2');
const undelivered = again(`d.status <> 'delivered' AND d.created_at >= $2`);

/** Begins the schedule of one delivery anew, whatever became of it. 0: there is none, or its registration is inactive. */
export const redeliver = async (pool: Pool, webhookId: string, eventId: string): Promise<number> =>
  (await pool.query(ofEvent, [webhookId, eventId])).rowCount ?? 0;

/** The same for everything since `since` that was not delivered; what waits for its next attempt is tried at once. */
export const redeliverSince = async (pool: Pool, webhookId: string, since: string): Promise<number> =>
  (await pool.query(undelivered, [webhookId, since])).rowCount ?? 0;
