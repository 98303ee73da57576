import type { WebhookEvent } from '@causeway/domain/webhooks';
import type { EventStore, Sequenced } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import type { Deliveries } from './deliveries/worker.ts';
import { notify } from './deliveries/notify.ts';
import { syncEndpoint, webhookIdOf } from './endpoints.ts';

export type KeepUpParts = Readonly<{ pool: Pool; store: EventStore; deliveries: Deliveries }>;

/** Each event of a registration → what deliveries know of it; a test that was asked for → its notification. */
export const keepUp = async ({ pool, store, deliveries }: KeepUpParts, event: Sequenced): Promise<void> => {
  const id = webhookIdOf(event);
  const { type, data } = event as Sequenced<WebhookEvent>;
  await syncEndpoint({ pool, store }, id);
  if (type === 'WebhookDeleted') deliveries.cancel(id);
  if (type !== 'WebhookTestQueued') return;

  const { organization, environment } = event.metadata;
  if (organization === null || environment === null) throw new Error(`${event.id}: a test of nobody's webhook`);
  const { eventId, queuedAt } = data;
  const about = { type: 'test', createdAt: queuedAt, data: { webhookId: id }, subject: id, endpointId: id };
  await notify(pool, { id: eventId, organization, environment, ...about });
  deliveries.wake();
};
