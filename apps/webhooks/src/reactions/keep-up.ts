import type { WebhookEvent } from '@causeway/domain/webhooks';
import type { EventStore, Sequenced } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import { notify } from './deliveries/notify.ts';
import { readEndpoint, webhookIdOf, writeEndpoint } from './endpoints.ts';

/** Events of registrations → what deliveries know of them; tests that were asked for → their notifications. */
export const keepUp = async (tx: PoolClient, store: EventStore, events: readonly Sequenced[]): Promise<void> => {
  for (const id of new Set(events.map(webhookIdOf))) await writeEndpoint(tx, id, await readEndpoint(store, id));
  for (const event of events as readonly Sequenced<WebhookEvent>[]) {
    if (event.type === 'WebhookTestQueued') await notifyOf(tx, event);
  }
};

type TestQueued = Sequenced<Extract<WebhookEvent, { type: 'WebhookTestQueued' }>>;

const notifyOf = async (tx: PoolClient, event: TestQueued): Promise<void> => {
  const { organization, environment } = event.metadata;
  if (organization === null || environment === null) throw new Error(`${event.id}: a test of nobody's webhook`);
  const { eventId, queuedAt } = event.data;
  const id = webhookIdOf(event);
  const about = { type: 'test', createdAt: queuedAt, data: { webhookId: id }, subject: id, endpointId: id };
  await notify(tx, { id: eventId, organization, environment, ...about });
};
