import type { Pool } from '@causeway/postgres';
import { claimTtlMs, type Taken } from '@causeway/work-queue';

/** A secret that was rotated away and signs beside the new one until then. `sealedSecret`: base64. */
export type OldSecret = Readonly<{ sealedSecret: string; until: string }>;

/** A delivery that this process now sends; its attempt is on record already. */
export type Claimed = Readonly<{
  deliveryId: number;
  /** Tells this claim of the delivery from every other. */
  attempt: number;
  /** What the schedule does not count: it was begun anew after these. */
  attemptsBefore: number;
  endpointId: string;
  organization: string;
  environment: 'live' | 'test';
  /** The endpoint fails at present, or answers late. */
  slow: boolean;
  url: string;
  /** And port, as the address has it. */
  host: string;
  sealedSecret: Buffer;
  oldSecrets: readonly OldSecret[];
  notificationId: string;
  body: string;
  /** By the monotonic clock of this process. */
  claimedAtMs: number;
}>;

/** What takes longer holds up no endpoint that answers in time. */
export const lateMs = 5000;
/** Rows of an endpoint that are looked at to find those whose turn it is. Bounds what a long backlog costs. */
const lookedAtPerEndpoint = 100;
/** Attempts of this process under way at once, in each lane. Endpoints that fail, or answer late, fill no other's. */
const lanes = (['live', 'test'] as const).flatMap((environment) => [
  { environment, slow: false, attemptsMax: 512 },
  { environment, slow: true, attemptsMax: 128 },
]);
/** Claimed at once for a lane: enough to make the claim cheap per delivery, few enough for other processes to get some. */
const claimMax = 200;

const ttl = `interval '${claimTtlMs} ms'`;
/** A claim that ends later than this was made before the clock was set back. */
export const isClaimed = (claimedUntil: string, now: string): string =>
  `(${claimedUntil} > ${now} AND ${claimedUntil} <= ${now} + ${ttl} + interval '500 ms')`;

/** One process claims at a time, so that bounds and order hold over all of them. A claim takes a few milliseconds. */
export const claimLock = `pg_advisory_xact_lock(hashtextextended('webhooks.claim', 0))`;

/**
 * lanes: what may be claimed of each, how much of it may be one organization's, and how much of that may go to one host,
 * whatever the number of webhooks there; held: what this process has in hand.
 * A delivery waits for older ones of its subject that were not tried yet or are being tried: what failed is retried later
 * and holds up nobody. One that somebody is changing waits for the next claim, which waits for nobody. Two statements, since the second must see what was claimed before the first got the lock; in a
 * function, so that a process that stands still holds the lock for nobody else. There is always a row: of one without a
 * delivery, only the time to the next.
 */
export const claimFunction = `
CREATE FUNCTION webhooks.claim_deliveries(lanes jsonb, held jsonb)
RETURNS TABLE ("nextInMs" float8, "deliveryId" bigint, attempt int, "attemptsBefore" int, "endpointId" uuid,
               organization text, environment text, slow boolean, url text, host text, "sealedSecret" bytea,
               "oldSecrets" jsonb, "notificationId" text, body text)
LANGUAGE sql AS $$
SELECT ${claimLock};
WITH RECURSIVE moment AS MATERIALIZED (
  SELECT clock_timestamp() AS now
), lane AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset(lanes) AS l (environment text, slow boolean, room int, share int, "hostShare" int)
), in_hand AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset(held) AS h (environment text, slow boolean, organization text, host text, attempts int)
), pending AS (
  (SELECT endpoint_id FROM webhooks.delivery WHERE status = 'pending' ORDER BY endpoint_id LIMIT 1)
   UNION ALL
  SELECT (SELECT d.endpoint_id FROM webhooks.delivery d
           WHERE d.status = 'pending' AND d.endpoint_id > pending.endpoint_id ORDER BY d.endpoint_id LIMIT 1)
    FROM pending WHERE endpoint_id IS NOT NULL
), receiver AS MATERIALIZED (
  SELECT e.id, e.organization, e.environment, e.url, e.host, e.sealed_secret, e.old_secrets,
         e.room = 2 AS slow, e.room - busy.deliveries AS room
    FROM pending p JOIN webhooks.endpoint e ON e.id = p.endpoint_id AND e.active
   CROSS JOIN LATERAL (
     SELECT count(*) AS deliveries FROM webhooks.delivery c
      WHERE c.endpoint_id = e.id AND c.status = 'pending' AND ${isClaimed('c.claimed_until', '(SELECT now FROM moment)')}
   ) busy
), due AS MATERIALIZED (
  SELECT turn.id, turn.next_attempt_at, receiver.id AS endpoint_id, receiver.organization, receiver.environment,
         receiver.slow, receiver.url, receiver.host, receiver.sealed_secret, receiver.old_secrets
    FROM receiver
   CROSS JOIN LATERAL (
     SELECT w.id, w.next_attempt_at
       FROM (SELECT id, endpoint_id, subject, next_attempt_at FROM webhooks.delivery
              WHERE endpoint_id = receiver.id AND status = 'pending' AND next_attempt_at <= (SELECT now FROM moment)
                AND ${isClaimed('claimed_until', '(SELECT now FROM moment)')} IS NOT TRUE
              ORDER BY next_attempt_at, id LIMIT ${lookedAtPerEndpoint}) w
      WHERE NOT EXISTS (
        SELECT FROM webhooks.delivery o
         WHERE o.endpoint_id = w.endpoint_id AND o.subject = w.subject AND o.id < w.id AND o.status = 'pending'
           AND (o.attempts = 0 OR ${isClaimed('o.claimed_until', '(SELECT now FROM moment)')}))
      ORDER BY w.next_attempt_at, w.id
      LIMIT greatest(receiver.room, 0)
   ) turn
), at_host AS (
  SELECT d.*, coalesce(h.attempts, 0) + row_number()
           OVER (PARTITION BY environment, slow, organization, host ORDER BY d.next_attempt_at, d.id) AS place_at_host
    FROM due d LEFT JOIN in_hand h USING (environment, slow, organization, host)
), placed AS (
  SELECT a.*, coalesce(h.attempts, 0) + row_number()
           OVER (PARTITION BY environment, slow, organization ORDER BY a.next_attempt_at, a.id) AS place
    FROM at_host a JOIN lane l USING (environment, slow)
    LEFT JOIN (SELECT environment, slow, organization, sum(attempts) AS attempts FROM in_hand GROUP BY 1, 2, 3) h
         USING (environment, slow, organization)
   WHERE a.place_at_host <= l."hostShare"
), chosen AS (
  SELECT p.*, l.room, row_number() OVER (PARTITION BY environment, slow ORDER BY p.place, p.next_attempt_at, p.id) AS turn
    FROM placed p JOIN lane l USING (environment, slow) WHERE p.place <= l.share
), free AS MATERIALIZED (
  SELECT d.id FROM webhooks.delivery d JOIN chosen c USING (id)
   WHERE c.turn <= c.room AND d.status = 'pending' FOR NO KEY UPDATE OF d SKIP LOCKED
), claimed AS (
  UPDATE webhooks.delivery d SET attempts = d.attempts + 1, claimed_until = clock_timestamp() + ${ttl}
    FROM chosen c JOIN free USING (id) WHERE d.id = c.id
  RETURNING d.id, d.attempts, d.attempts_before, d.notification_id, c.endpoint_id, c.organization, c.environment, c.slow,
            c.url, c.host, c.sealed_secret, c.old_secrets
), begun AS (
  INSERT INTO webhooks.attempt (delivery_id, number) SELECT id, attempts FROM claimed
), next AS (
  SELECT min(least(
           (SELECT d.next_attempt_at FROM webhooks.delivery d
             WHERE d.endpoint_id = r.id AND d.status = 'pending' AND d.next_attempt_at > (SELECT now FROM moment)
             ORDER BY d.next_attempt_at LIMIT 1),
           (SELECT d.claimed_until FROM webhooks.delivery d
             WHERE d.endpoint_id = r.id AND d.status = 'pending' AND d.claimed_until > (SELECT now FROM moment)
             ORDER BY d.claimed_until LIMIT 1))) AS at
    FROM receiver r
)
SELECT extract(epoch FROM next.at - (SELECT now FROM moment))::float8 * 1000, c.id, c.attempts, c.attempts_before,
       c.endpoint_id, c.organization, c.environment, c.slow, c.url, c.host, c.sealed_secret, c.old_secrets, c.notification_id,
       n.body
  FROM next LEFT JOIN claimed c ON true LEFT JOIN webhooks.notification n ON n.id = c.notification_id
 ORDER BY c.id
$$;`;

type Row = Omit<Claimed, 'claimedAtMs'> & Readonly<{ nextInMs: number | null }>;

/** An attempt that takes long makes room in the lane of those that do not. */
const isSlow = ({ slow, claimedAtMs }: Claimed, nowMs: number): boolean => slow || nowMs - claimedAtMs > lateMs;

const heldIn = (inHand: readonly Claimed[], nowMs: number) => {
  const held = new Map<
    string,
    Pick<Claimed, 'environment' | 'slow' | 'organization' | 'host'> & { attempts: number }
  >();
  for (const claimed of inHand) {
    const { environment, organization, host } = claimed;
    const slow = isSlow(claimed, nowMs);
    const key = JSON.stringify([environment, slow, organization, host]);
    held.set(key, { environment, slow, organization, host, attempts: (held.get(key)?.attempts ?? 0) + 1 });
  }
  return [...held.values()];
};

export const claim = async (pool: Pool, inHand: readonly Claimed[]): Promise<Taken<Claimed>> => {
  const claimedAtMs = performance.now();
  const held = heldIn(inHand, claimedAtMs);
  const rooms = lanes.map(({ environment, slow, attemptsMax }) => {
    const taken = held.filter((other) => other.environment === environment && other.slow === slow);
    const room = attemptsMax - taken.reduce((sum, { attempts }) => sum + attempts, 0);
    const share = (attemptsMax * 3) / 4;
    return { environment, slow, room: Math.max(0, Math.min(claimMax, room)), share, hostShare: share / 2 };
  });
  const { rows } = await pool.query<Row>({
    name: 'webhooks.claim',
    text: 'SELECT * FROM webhooks.claim_deliveries($1, $2)',
    values: [JSON.stringify(rooms), JSON.stringify(held)],
  });
  const claims = rows.filter(({ deliveryId }) => deliveryId !== null).map((row) => ({ ...row, claimedAtMs }));
  // One that ends makes room at its endpoint, and lets the next of its subject go.
  return { claims, nextInMs: claims.length >= claimMax ? 0 : (rows[0]?.nextInMs ?? null), crowded: true };
};

/** Not those of endpoints that are to be sent nothing any more. */
export const renew = async (pool: Pool, claims: readonly Claimed[]): Promise<readonly Claimed[]> => {
  const { rows } = await pool.query<{ deliveryId: number; attempt: number }>(
    `WITH held AS (
       SELECT d.id FROM unnest($1::bigint[], $2::int[]) AS c (id, attempt)
         JOIN webhooks.delivery d ON d.id = c.id AND d.attempts = c.attempt AND d.status = 'pending'
         JOIN webhooks.endpoint e ON e.id = d.endpoint_id AND e.active
        WHERE d.claimed_until IS NOT NULL
          -- Whoever else locks it is writing its end.
          FOR NO KEY UPDATE OF d SKIP LOCKED
     )
     UPDATE webhooks.delivery d SET claimed_until = clock_timestamp() + ${ttl} FROM held WHERE d.id = held.id
     RETURNING d.id AS "deliveryId"`,
    [claims.map(({ deliveryId }) => deliveryId), claims.map(({ attempt }) => attempt)],
  );
  const kept = new Set(rows.map(({ deliveryId }) => deliveryId));
  return claims.filter(({ deliveryId }) => kept.has(deliveryId));
};

/** How those attempts ended nobody knows, and nobody has to wait for. */
export const giveBack = async (pool: Pool, claims: readonly Claimed[]): Promise<void> => {
  if (claims.length === 0) return;
  await pool.query(
    `UPDATE webhooks.delivery d SET claimed_until = NULL FROM unnest($1::bigint[], $2::int[]) AS c (id, attempt)
      WHERE d.id = c.id AND d.attempts = c.attempt AND d.status = 'pending'`,
    [claims.map(({ deliveryId }) => deliveryId), claims.map(({ attempt }) => attempt)],
  );
};
