import { inTransaction, type Pool } from '@causeway/postgres';

/** A delivery that this process now sends; its attempt is on record already. */
export type Claimed = Readonly<{
  deliveryId: number;
  attempt: number;
  endpointId: string;
  /** The endpoint fails at present. */
  slow: boolean;
  url: string;
  sealedSecret: Buffer;
  notificationId: string;
  body: string;
}>;

/** Per endpoint at once, over all processes: where the last answer was good, and where it was not. */
const swiftPerEndpoint = 32;
const slowPerEndpoint = 2;
/** Rows of an endpoint that are looked at to find those whose turn it is. Bounds what a long backlog costs. */
const lookedAtPerEndpoint = 100;

/** What a claim may take of each lane. Endpoints that fail have a lane of their own, so that they fill no other. */
export type Room = Readonly<{ swift: number; slow: number }>;

/**
 * $1, $2: room in the two lanes; $3: how long the claim holds. A delivery waits for older ones of its subject that were
 * not tried yet or are being tried: what failed is retried later and holds up nobody.
 */
const claimSql = `
WITH receiver AS (
  SELECT e.id, e.url, e.sealed_secret, e.failing_since IS NOT NULL AS slow,
         CASE WHEN e.failing_since IS NULL THEN ${swiftPerEndpoint} ELSE ${slowPerEndpoint} END - busy.deliveries AS room
    FROM webhooks.endpoint e
   CROSS JOIN LATERAL (
     SELECT count(*) AS deliveries FROM webhooks.delivery c
      WHERE c.endpoint_id = e.id AND c.status = 'pending' AND c.claimed_until > statement_timestamp()
   ) busy
   WHERE e.active AND EXISTS (
     SELECT FROM webhooks.delivery d
      WHERE d.endpoint_id = e.id AND d.status = 'pending' AND d.next_attempt_at <= statement_timestamp())
), due AS (
  SELECT turn.id, receiver.url, receiver.sealed_secret, receiver.slow,
         row_number() OVER (PARTITION BY receiver.slow ORDER BY turn.next_attempt_at, turn.id) AS place
    FROM receiver
   CROSS JOIN LATERAL (
     SELECT w.id, w.next_attempt_at
       FROM (SELECT id, endpoint_id, subject, next_attempt_at FROM webhooks.delivery
              WHERE endpoint_id = receiver.id AND status = 'pending' AND next_attempt_at <= statement_timestamp()
                AND (claimed_until IS NULL OR claimed_until <= statement_timestamp())
              ORDER BY next_attempt_at, id LIMIT ${lookedAtPerEndpoint}) w
      WHERE NOT EXISTS (
        SELECT FROM webhooks.delivery o
         WHERE o.endpoint_id = w.endpoint_id AND o.subject = w.subject AND o.id < w.id AND o.status = 'pending'
           AND (o.attempts = 0 OR o.claimed_until > statement_timestamp()))
      ORDER BY w.next_attempt_at, w.id
      LIMIT greatest(receiver.room, 0)
   ) turn
), claimed AS (
  UPDATE webhooks.delivery d
     SET attempts = d.attempts + 1, claimed_until = statement_timestamp() + $3 * interval '1 ms'
    FROM due
   WHERE d.id = due.id AND due.place <= CASE WHEN due.slow THEN $2::int ELSE $1::int END
  RETURNING d.id, d.attempts, d.endpoint_id, d.notification_id, due.url, due.sealed_secret, due.slow
), begun AS (
  INSERT INTO webhooks.attempt (delivery_id, number) SELECT id, attempts FROM claimed
)
SELECT c.id AS "deliveryId", c.attempts AS attempt, c.endpoint_id AS "endpointId", c.slow, c.url,
       c.sealed_secret AS "sealedSecret", c.notification_id AS "notificationId", n.body
  FROM claimed c JOIN webhooks.notification n ON n.id = c.notification_id
 ORDER BY c.id`;

/** One process claims at a time, so that bounds and order hold over all of them. A claim takes a few milliseconds. */
export const claim = (pool: Pool, room: Room, holdMs: number): Promise<readonly Claimed[]> =>
  inTransaction(pool, async (tx) => {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhooks.claim', 0))`);
    return (await tx.query<Claimed>(claimSql, [room.swift, room.slow, holdMs])).rows;
  });
