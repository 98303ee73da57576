import type { Pool } from '@causeway/postgres';

/** How long what was sent, and how, can be looked up. The attempts of a delivery take four days at most. */
export const keptDays = 90;
/** Of one statement, so that it locks little and the next deliveries do not wait. */
const forgottenMax = 1000;

const sql = `
DELETE FROM webhooks.notification WHERE id IN (
  SELECT n.id FROM webhooks.notification n
   WHERE n.created_at < statement_timestamp() - $1 * interval '1 day'
     AND NOT EXISTS (SELECT FROM webhooks.delivery d JOIN webhooks.endpoint e ON e.id = d.endpoint_id AND e.active
                      WHERE d.notification_id = n.id AND d.status = 'pending')
   LIMIT ${forgottenMax})`;

/** Deletes notifications, deliveries and attempts that ended long ago. Resolves to the number of notifications. */
export const forgetOld = async (pool: Pool): Promise<number> => {
  let forgotten = 0;
  for (let more = true; more;) {
    const { rowCount } = await pool.query(sql, [keptDays]);
    forgotten += rowCount ?? 0;
    more = rowCount === forgottenMax;
  }
  return forgotten;
};
