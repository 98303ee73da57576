import { notificationId } from '@causeway/contracts';
import type { Pool } from '@causeway/postgres';
import { services, type Environment } from '@causeway/settings';
import { openDataKeys } from '../running-system.ts';
import type { ServiceAppend, TracedDelivery, Trail } from './tree.ts';

type Store = Readonly<{ pool: Pool; service: string; schema: string }>;

const storesIn = async (pool: Pool): Promise<readonly Store[]> => {
  const { rows } = await pool.query<{ schema: string }>(
    `SELECT schemaname AS schema FROM pg_tables WHERE tablename = 'append'`,
  );
  const there = new Set(rows.map(({ schema }) => schema));
  return services
    .map((service) => ({ pool, service, schema: `${service}_events` }))
    .filter(({ schema }) => there.has(schema));
};

const appendsIn = async (
  env: Environment,
  { pool, service, schema }: Store,
  correlationId: string,
): Promise<readonly ServiceAppend[]> => {
  const { appendsOf } = await import('@causeway/event-stores');
  const { dataKeys, close } = openDataKeys(env, schema);
  try {
    const appends = await appendsOf({ pool, schema, dataKeys }, correlationId);
    return appends.map((append) => ({ ...append, service }));
  } finally {
    await close();
  }
};

/** Of which webhooks may be told. The id of what they are told derives from the event's. */
const toldTypes = ['transactions.sync_available', 'connection.status_changed'];
const notificationsOf = ({ service, events }: ServiceAppend): readonly string[] => {
  if (service === 'connections') return events.flatMap(({ id }) => toldTypes.map((type) => notificationId(id, type)));
  return events.flatMap(({ type, data }) =>
    type === 'WebhookTestQueued' ? [(data as Readonly<{ eventId: string }>).eventId] : [],
  );
};

/** By the primary keys of both tables. Deliveries are kept for 90 days. */
const deliveriesOf = async (pool: Pool, ids: readonly string[]): Promise<readonly TracedDelivery[]> => {
  const { rows } = await pool.query<TracedDelivery>(
    `SELECT n.id, n.type, n.event_id AS "eventId", d.endpoint_id AS "webhookId", n.created_at AS "createdAt",
            coalesce((SELECT json_agg(json_build_object(
                        'at', to_char(a.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                        'statusCode', a.status_code, 'error', a.error) ORDER BY a.number)
                        FROM webhooks.attempt a WHERE a.delivery_id = d.id), '[]') AS attempts
       FROM webhooks.notification n JOIN webhooks.delivery d ON d.notification_id = n.id
      WHERE n.id = ANY ($1) ORDER BY d.id`,
    [ids],
  );
  return rows;
};

/** What began with this request, in every service. */
const trailOf = async (env: Environment, pool: Pool, correlationId: string): Promise<Trail> => {
  const appends: ServiceAppend[] = [];
  for (const store of await storesIn(pool)) appends.push(...(await appendsIn(env, store, correlationId)));
  const deliveries = await deliveriesOf(pool, appends.flatMap(notificationsOf));
  return { correlationId, appends, deliveries };
};

const firstId = async (pool: Pool, sql: string, value: string): Promise<string | undefined> =>
  (await pool.query<{ id: string | null }>(sql, [value])).rows[0]?.id ?? undefined;

const ofDelivery = (pool: Pool, id: string) =>
  firstId(pool, 'SELECT correlation_id AS id FROM webhooks.notification WHERE id = $1', id);

const ofTransfer = (pool: Pool, id: string) =>
  firstId(
    pool,
    `SELECT metadata ->> 'correlationId' AS id FROM transfers_events.append WHERE stream = $1
      ORDER BY last_revision LIMIT 1`,
    `transfer-${id}`,
  );

const ofEvent = async (env: Environment, pool: Pool, id: string): Promise<string | undefined> => {
  const { correlationOf } = await import('@causeway/event-stores');
  for (const { schema } of await storesIn(pool)) {
    const { dataKeys, close } = openDataKeys(env, schema);
    const found = await correlationOf({ pool, schema, dataKeys }, id).finally(close);
    if (found !== undefined) return found;
  }
  return undefined;
};

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The trail of a request, or of the one that an event, a transfer or a delivery began with. Undefined: of none known. */
export const findTrail = async (env: Environment, pool: Pool, id: string): Promise<Trail | undefined> => {
  const correlationId = id.startsWith('evt_')
    ? await ofDelivery(pool, id)
    : uuid.test(id)
      ? ((await ofTransfer(pool, id.toLowerCase())) ?? (await ofEvent(env, pool, id.toLowerCase())))
      : undefined;
  const trail = await trailOf(env, pool, correlationId ?? id);
  return trail.appends.length === 0 ? undefined : trail;
};

/** Whether there is more than is shown. */
export const isCut = async ({ appends }: Trail): Promise<boolean> => {
  const { tracedAppendsMax } = await import('@causeway/event-stores');
  return services.some((service) => appends.filter((append) => append.service === service).length >= tracedAppendsMax);
};
