import type { WebhookEvent } from '@causeway/domain/webhooks';
import { categoryOf, idOf, type EventStore, type Sequenced, type StreamName } from '@causeway/event-sourcing';
import type { Logger } from '@causeway/observability';
import type { PoolClient } from '@causeway/postgres';
import { isMendOf } from '@causeway/projections';
import { webhooks } from '../projections/webhooks/webhooks.ts';
import { notify } from './deliveries/notify.ts';
import { endpointOf, readHistory, webhookIdOf, writeEndpoint } from './endpoints.ts';

type Context = Readonly<{ store: EventStore; log: Pick<Logger, 'warn'> }>;

/** Events of registrations → what deliveries know of them; tests that were asked for → their notifications. */
export const keepUp = async (tx: PoolClient, context: Context, events: readonly Sequenced[]): Promise<void> => {
  // In one order, as whoever else changes several endpoints: neither waits for the other.
  for (const id of [...new Set(events.flatMap(concerned))].sort()) await keep(tx, context, id);
  for (const event of events as readonly Sequenced<WebhookEvent>[]) {
    if (event.type === 'WebhookTestQueued') await notifyOf(tx, event);
  }
};

/**
 * The registration that an event says something new of: its own, or the one whose events the read model holds back and
 * is to try again.
 */
export const concerned = (event: Sequenced): readonly string[] => {
  const stream = isMendOf(webhooks.name, event) ? (idOf(event.stream) as StreamName) : event.stream;
  return categoryOf(stream) === 'webhook' ? [webhookIdOf({ stream })] : [];
};

/**
 * Of a registration with an event that this version cannot fold, deliveries know what came before, and the others are
 * kept up with. The read model holds its events back, and tells of it; when they are mended there, they are here.
 */
const keep = async (tx: PoolClient, { store, log }: Context, id: string): Promise<void> => {
  const history = await readHistory(store, id);
  let endpoint;
  try {
    endpoint = endpointOf(history);
  } catch {
    log.warn({ webhookId: id }, 'an event of this registration cannot be folded; it is kept as it was');
    return;
  }
  await writeEndpoint(tx, id, endpoint);
};

type TestQueued = Sequenced<Extract<WebhookEvent, { type: 'WebhookTestQueued' }>>;

const notifyOf = async (tx: PoolClient, event: TestQueued): Promise<void> => {
  const { organization, environment } = event.metadata;
  if (organization === null || environment === null) throw new Error(`${event.id}: a test of nobody's webhook`);
  const { eventId, queuedAt } = event.data;
  const id = webhookIdOf(event);
  const about = { type: 'test', createdAt: queuedAt, data: { webhookId: id }, subject: id, endpointId: id };
  const causes = { correlationId: event.metadata.correlationId, eventId: event.id };
  await notify(tx, { id: eventId, organization, environment, ...about, ...causes });
};
