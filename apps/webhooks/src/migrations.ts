import { quotaMigrations } from '@causeway/quotas';
import { migrateEventSourced, placeOf } from '@causeway/service';
import type { WebhooksConfig } from './config.ts';
import { deliveryMigrations } from './reactions/deliveries/tables.ts';

export const { schema, eventsSchema, role } = placeOf('webhooks');

export const migrateWebhooks = (config: Pick<WebhooksConfig, 'databaseUrl'>): Promise<void> =>
  migrateEventSourced('webhooks', config, [...quotaMigrations(schema), ...deliveryMigrations]);
