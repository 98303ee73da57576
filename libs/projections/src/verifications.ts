import { inTransaction, type Pool } from '@causeway/postgres';
import { finished } from './requests.ts';

/** How the last verification of a whole read model ended. `differing`: rows that it found and did not correct. */
export type Verification = Readonly<{
  name: string;
  /** When it was asked for; seconds since 1970. */
  askedAt: number;
  outcome: 'equal' | 'different' | 'failed';
  differing: number;
}>;

/** Of each live read model of a service that was ever verified. */
export const lastVerifications = async (pool: Pool, schema: string): Promise<readonly Verification[]> => {
  const { rows } = await pool.query<Verification>(
    `SELECT v.* FROM ${schema}.projection p, LATERAL (
       SELECT r.name, extract(epoch FROM r.requested_at)::float8 AS "askedAt", r.state AS outcome,
              CASE WHEN r.when_ready IN ('switch', 'show') THEN 0 ELSE r.added + r.changed + r.removed END AS differing
         FROM ${schema}.projection_request r
        WHERE r.name = p.name AND r.kind = 'verify' AND r.scope IS NULL AND r.state IN ('equal', 'different', 'failed')
        ORDER BY r.id DESC LIMIT 1) v
      WHERE p.live`,
  );
  return rows;
};

const operator = 'schedule';

/**
 * Asks for the verification of the read model that has waited longest, if one has waited for so long and nothing else is
 * asked of any: each fills tables of its own, so one at a time. Any process of the service may ask.
 */
export const askForVerification = (pool: Pool, schema: string, everyMs: number): Promise<void> =>
  inTransaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${schema} verifications`]);
    await tx.query(
      `INSERT INTO ${schema}.projection_request (name, kind, when_ready, operator)
       SELECT p.name, 'verify', 'drop', $3
         FROM ${schema}.projection p
         LEFT JOIN ${schema}.projection_request r ON r.name = p.name AND r.kind = 'verify' AND r.scope IS NULL
        WHERE p.live AND NOT EXISTS (SELECT FROM ${schema}.projection_request o WHERE o.state <> ALL ($2))
        GROUP BY p.name
       HAVING coalesce(max(r.requested_at), '-infinity') <= clock_timestamp() - $1 * interval '1 ms'
        ORDER BY max(r.requested_at) NULLS FIRST, p.name LIMIT 1`,
      [everyMs, finished, operator],
    );
  });

/** How often it is looked whether one is due, at most. */
const lookEveryMs = 60_000;

/** Until the signal. `everyMs` 0: never. */
export const scheduleVerifications = (
  { pool, schema, signal }: Readonly<{ pool: Pool; schema: string; signal: AbortSignal }>,
  everyMs: number,
  onFault: (error: unknown) => void,
): void => {
  if (everyMs === 0) return;
  const look = (): void => void askForVerification(pool, schema, everyMs).catch(onFault);
  const timer = setInterval(look, Math.min(everyMs, lookEveryMs));
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
};
