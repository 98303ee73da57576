import { migrateDataKeys, webhookKeysSchema } from '@causeway/data-keys';
import { quotaMigrations } from '@causeway/quotas';
import { migrateEventSourced, placeOf } from '@causeway/service';
import type { WebhooksConfig } from './config.ts';
import { deliveryMigrations } from './reactions/deliveries/tables.ts';

export const { schema, eventsSchema, role } = placeOf('webhooks');

export const migrateWebhooks = async (
  config: Pick<WebhooksConfig, 'databaseUrl' | 'keysDatabaseUrl'>,
): Promise<void> => {
  await migrateDataKeys(config.keysDatabaseUrl ?? config.databaseUrl, webhookKeysSchema);
  await migrateEventSourced('webhooks', config, [...quotaMigrations(schema), ...deliveryMigrations]);
};
