import type { WebhookEvent } from '@causeway/domain/webhooks';
import type { EventStore, Recorded, Sequenced } from '@causeway/event-sourcing';
import { inTransaction, type Pool, type PoolClient } from '@causeway/postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import { claimLock, isClaimed } from './deliveries/claim.ts';

export const streamOf = (webhookId: string): `webhook-${string}` => `webhook-${webhookId}`;
export const webhookIdOf = ({ stream }: Pick<Sequenced, 'stream'>): string => stream.slice('webhook-'.length);

export type Endpoint = Readonly<{
  status: 'active' | 'inactive' | 'deleted';
  organization: string;
  environment: 'live' | 'test';
  url: string;
  events: readonly string[];
  sealedSecret: Buffer;
  registeredAt: string;
  revision: number;
}>;

/** What deliveries need of a registration. Pure. Undefined: there is none. */
export const endpointOf = (history: readonly Recorded<WebhookEvent>[]): Endpoint | undefined => {
  let endpoint: Endpoint | undefined;
  for (const event of history) {
    const { revision } = event;
    if (event.type === 'WebhookRegistered') {
      const { organization, environment, url, events, registeredAt } = event.data;
      const sealedSecret = Buffer.from(event.data.sealedSecret, 'base64');
      endpoint = { status: 'active', organization, environment, url, events, sealedSecret, registeredAt, revision };
    }
    if (endpoint === undefined) continue;
    if (event.type === 'WebhookDisabled') endpoint = { ...endpoint, status: 'inactive', revision };
    if (event.type === 'WebhookDeleted') endpoint = { ...endpoint, status: 'deleted', revision };
  }
  return endpoint;
};

export const readEndpoint = async (store: EventStore, id: string): Promise<Endpoint | undefined> =>
  endpointOf(await store.readStream<WebhookEvent>(streamOf(id)));

/** A write of an older state of the stream changes nothing, so whoever comes late does no harm. */
export const writeEndpoint = async (tx: PoolClient, id: string, endpoint: Endpoint | undefined): Promise<void> => {
  if (endpoint === undefined) return;
  const { status, organization, environment, url, events, sealedSecret, registeredAt, revision } = endpoint;
  await tx.query(
    `INSERT INTO webhooks.endpoint AS known
       (id, organization, environment, url, events, sealed_secret, active, registered_at, revision)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (id) DO UPDATE SET active = excluded.active, revision = excluded.revision
      WHERE known.revision < excluded.revision`,
    [id, organization, environment, url, events, sealedSecret, status === 'active', registeredAt, revision],
  );
  if (status !== 'inactive') return;
  const sql = `UPDATE webhooks.delivery SET status = 'exhausted' WHERE endpoint_id = $1 AND status = 'pending'`;
  await tx.query(sql, [id]);
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
