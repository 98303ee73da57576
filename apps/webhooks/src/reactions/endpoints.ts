import { oldSecretSignsMs, type WebhookEvent } from '@causeway/domain/webhooks';
import { assertNever, type EventStore, type Recorded, type Sequenced } from '@causeway/event-sourcing';
import { inTransaction, type Pool, type PoolClient } from '@causeway/postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import { claimLock, isClaimed, type OldSecret } from './deliveries/claim.ts';

export const streamOf = (webhookId: string): `webhook-${string}` => `webhook-${webhookId}`;
export const webhookIdOf = ({ stream }: Pick<Sequenced, 'stream'>): string => stream.slice('webhook-'.length);

type WebhookRegistered = Extract<WebhookEvent, { type: 'WebhookRegistered' }>;
type SecretRotated = Extract<WebhookEvent, { type: 'WebhookSecretRotated' }>;

export type Endpoint = Readonly<{
  status: 'active' | 'inactive' | 'deleted';
  organization: string;
  environment: 'live' | 'test';
  url: string;
  events: readonly string[];
  sealedSecret: Buffer;
  /** Newest first. */
  oldSecrets: readonly OldSecret[];
  registeredAt: string;
  revision: number;
}>;

/** Each makes the headers longer; whoever rotates more often than this in a day has a receiver that knows a newer one. */
const oldSecretsMax = 4;

const register = ({ data, revision }: Recorded<WebhookRegistered>): Endpoint => {
  const { organization, environment, url, events, sealedSecret, registeredAt } = data;
  const its = { organization, environment, url, events, registeredAt, revision };
  return { status: 'active', ...its, sealedSecret: Buffer.from(sealedSecret, 'base64'), oldSecrets: [] };
};

const rotate = (endpoint: Endpoint, { sealedSecret, rotatedAt }: SecretRotated['data']): Endpoint => {
  const until = new Date(Date.parse(rotatedAt) + oldSecretSignsMs).toISOString();
  const last = { sealedSecret: endpoint.sealedSecret.toString('base64'), until };
  const old = endpoint.oldSecrets.filter((one) => one.until > rotatedAt);
  const oldSecrets = [last, ...old].slice(0, oldSecretsMax);
  return { ...endpoint, sealedSecret: Buffer.from(sealedSecret, 'base64'), oldSecrets };
};

const applyTo = (endpoint: Endpoint, event: Exclude<WebhookEvent, WebhookRegistered>): Endpoint => {
  switch (event.type) {
    case 'WebhookChanged': {
      const { url = endpoint.url, events = endpoint.events } = event.data.change;
      return { ...endpoint, url, events };
    }
    case 'WebhookSecretRotated':
      return rotate(endpoint, event.data);
    case 'WebhookTestQueued':
      return endpoint;
    case 'WebhookDisabled':
      return { ...endpoint, status: 'inactive' };
    case 'WebhookEnabled':
      return { ...endpoint, status: 'active' };
    case 'WebhookDeleted':
      return { ...endpoint, status: 'deleted' };
    default:
      return assertNever(event);
  }
};

/** What deliveries need of a registration. Pure. Undefined: there is none. */
export const endpointOf = (history: readonly Recorded<WebhookEvent>[]): Endpoint | undefined => {
  let endpoint: Endpoint | undefined;
  for (const event of history) {
    const { revision } = event;
    if (event.type === 'WebhookRegistered') endpoint = register(event);
    else if (endpoint !== undefined) endpoint = { ...applyTo(endpoint, event), revision };
  }
  return endpoint;
};

export const readHistory = (store: EventStore, id: string): Promise<readonly Recorded<WebhookEvent>[]> =>
  store.readStream<WebhookEvent>(streamOf(id));

export const readEndpoint = async (store: EventStore, id: string): Promise<Endpoint | undefined> =>
  endpointOf(await readHistory(store, id));

/** A write of an older state of the stream changes nothing, so whoever comes late does no harm. */
export const writeEndpoint = async (tx: PoolClient, id: string, endpoint: Endpoint | undefined): Promise<void> => {
  if (endpoint === undefined) return;
  const { status, organization, environment, url, events, sealedSecret, registeredAt, revision } = endpoint;
  const oldSecrets = JSON.stringify(endpoint.oldSecrets);
  await tx.query(
    `INSERT INTO webhooks.endpoint AS known
       (id, organization, environment, url, events, sealed_secret, old_secrets, active, registered_at, revision)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (id) DO UPDATE
        SET url = excluded.url, events = excluded.events, sealed_secret = excluded.sealed_secret,
            old_secrets = excluded.old_secrets, active = excluded.active, revision = excluded.revision,
            -- What was before it was inactive counts for nothing.
            failing_since = CASE WHEN known.active THEN known.failing_since END,
            room = CASE WHEN known.active THEN known.room ELSE 4 END
      WHERE known.revision < excluded.revision`,
    [
      ...[id, organization, environment, url, events, sealedSecret, oldSecrets],
      ...[status === 'active', registeredAt, revision],
    ],
  );
  if (status !== 'inactive') return;
  await tx.query(
    `WITH ended AS MATERIALIZED (
       SELECT id FROM webhooks.delivery WHERE endpoint_id = $1 AND status = 'pending' ORDER BY id FOR NO KEY UPDATE
     )
     UPDATE webhooks.delivery d SET status = 'exhausted' FROM ended WHERE d.id = ended.id`,
    [id],
  );
};

/**
 * Brings what deliveries know of a registration in line with its stream: at once by the command that changed it, as a
 * feed does for commands that did not live to do it. Safe to repeat, in any order.
 */
export const syncEndpoint = async (pool: Pool, store: EventStore, id: string): Promise<void> => {
  // Before the transaction: `store` may need a session of the same pool, and who waits for one must hold none.
  const endpoint = await readEndpoint(store, id);
  await inTransaction(pool, (tx) => writeEndpoint(tx, id, endpoint));
};

const quietPollMs = 100;
/** Of the 10 s that whoever rotates a secret waits. */
const outlastMs = 4000;

/**
 * Deletes what was to be sent to an endpoint that is not active any more, and resolves once no process has a claim on any
 * of it. Holders learn of it when they renew; the claim of one that stands still runs out, and it knows when it wakes.
 */
export const clearEndpoint = async (pool: Pool, id: string): Promise<void> => {
  // A claim that began before the endpoint was closed is on record from here on.
  await pool.query(`SELECT ${claimLock}`);
  const claimed = isClaimed('claimed_until', 'statement_timestamp()');
  for (;;) {
    const { rows } = await pool.query<{ busy: boolean }>(
      `WITH cleared AS (DELETE FROM webhooks.delivery WHERE endpoint_id = $1 AND ${claimed} IS NOT TRUE)
       SELECT EXISTS (SELECT FROM webhooks.delivery WHERE endpoint_id = $1 AND ${claimed}) AS busy`,
      [id],
    );
    if (rows[0]?.busy !== true) return;
    await sleep(quietPollMs);
  }
};

/**
 * Resolves once no attempt is under way that was begun before now, or after 4 s: by then every request on its way is
 * signed with the newest secret too.
 */
export const outlastAttempts = async (pool: Pool, id: string): Promise<void> => {
  // A claim that began before is on record from here on.
  await pool.query(`SELECT ${claimLock}`);
  const { rows: now } = await pool.query<{ at: string }>('SELECT clock_timestamp()::text AS at');
  for (const until = performance.now() + outlastMs; performance.now() < until; await sleep(quietPollMs)) {
    const { rowCount } = await pool.query(
      `SELECT FROM webhooks.delivery d JOIN webhooks.attempt a ON a.delivery_id = d.id AND a.number = d.attempts
        WHERE d.endpoint_id = $1 AND d.status = 'pending' AND ${isClaimed('d.claimed_until', 'statement_timestamp()')}
          AND a.started_at < $2 LIMIT 1`,
      [id, now[0]?.at],
    );
    if (rowCount === 0) return;
  }
};
