import type { AttemptOutcome, NextStep } from '@causeway/domain/webhooks';
import type { Pool } from '@causeway/postgres';
import { lateMs, type Claimed } from './claim.ts';

export type Result = Readonly<{ claimed: Claimed; outcome: AttemptOutcome; step: NextStep; durationMs: number }>;

/** An endpoint that got results: since when it fails, and whether one of them said that it is gone. */
export type EndpointResult = Readonly<{
  endpointId: string;
  organization: string;
  environment: 'live' | 'test';
  gone: boolean;
  failingSince: string | null;
}>;

/**
 * $1: results. A success counts whenever it comes; a failure only as long as the delivery was not claimed anew, which
 * happens to a process that stood still for longer than its claim. Where the schedule was begun anew meanwhile, a failure
 * is none of it. Whoever changes several deliveries, or several endpoints, locks them in the order of their ids.
 */
const sql = `
WITH result AS (
  SELECT * FROM jsonb_to_recordset($1) AS r(
    delivery_id bigint, number int, endpoint_id uuid, status_code int, error text, duration_ms int, step text,
    retry_in_ms bigint)
), ended AS (
  UPDATE webhooks.attempt a
     SET status_code = r.status_code, error = r.error, duration_ms = r.duration_ms
    FROM result r WHERE a.delivery_id = r.delivery_id AND a.number = r.number
), locked AS MATERIALIZED (
  SELECT d.id FROM webhooks.delivery d JOIN result r ON r.delivery_id = d.id ORDER BY d.id FOR NO KEY UPDATE OF d
), moved AS (
  UPDATE webhooks.delivery d
     SET status = CASE WHEN r.step = 'delivered' THEN 'delivered'
                       WHEN r.step = 'retry' OR d.attempts_before >= r.number THEN 'pending' ELSE 'exhausted' END,
         next_attempt_at = CASE WHEN d.attempts_before >= r.number THEN d.next_attempt_at
                                ELSE clock_timestamp() + coalesce(r.retry_in_ms, 0) * interval '1 ms' END,
         claimed_until = NULL
    FROM result r JOIN locked ON locked.id = r.delivery_id
   WHERE d.id = r.delivery_id AND d.status = 'pending' AND (d.attempts = r.number OR r.step = 'delivered')
), receiver AS (
  SELECT endpoint_id, bool_or(step = 'delivered') AS answers, bool_or(step = 'receiver_gone') AS gone,
         bool_or(step = 'delivered') AND NOT bool_or(duration_ms > ${lateMs}) AS in_time
    FROM result GROUP BY endpoint_id
), news AS MATERIALIZED (
  SELECT e.id, r.answers, r.in_time
    FROM receiver r JOIN webhooks.endpoint e ON e.id = r.endpoint_id
   WHERE r.answers = (e.failing_since IS NOT NULL) OR CASE WHEN r.in_time THEN e.room < 32 ELSE e.room > 2 END
   ORDER BY e.id FOR NO KEY UPDATE OF e
), judged AS (
  UPDATE webhooks.endpoint e
     SET failing_since = CASE WHEN r.answers THEN NULL ELSE coalesce(e.failing_since, clock_timestamp()) END,
         room = CASE WHEN r.in_time THEN least(e.room * 2, 32) ELSE 2 END
    FROM news r
   WHERE e.id = r.id
  RETURNING e.id, e.failing_since
)
SELECT r.endpoint_id AS "endpointId", e.organization, e.environment, r.gone,
       CASE WHEN j.id IS NULL THEN e.failing_since ELSE j.failing_since END AS "failingSince"
  FROM receiver r
  JOIN webhooks.endpoint e ON e.id = r.endpoint_id
  LEFT JOIN judged j ON j.id = r.endpoint_id`;

const rowOf = ({ claimed, outcome, step, durationMs }: Result) => ({
  delivery_id: claimed.deliveryId,
  number: claimed.attempt,
  endpoint_id: claimed.endpointId,
  status_code: outcome.kind === 'answered' ? outcome.statusCode : null,
  error: outcome.kind === 'failed' ? outcome.error : null,
  duration_ms: Math.round(durationMs),
  step: step.kind,
  retry_in_ms: step.kind === 'retry' ? step.inMs : null,
});

/** Records the ends of any number of attempts at once. */
export const record = async (pool: Pool, results: readonly Result[]): Promise<readonly EndpointResult[]> =>
  (await pool.query<EndpointResult>(sql, [JSON.stringify(results.map(rowOf))])).rows;
