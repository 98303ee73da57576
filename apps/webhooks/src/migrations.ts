import { dataKeyMigrations, webhookKeysSchema } from '@causeway/data-keys';
import { migrate } from '@causeway/postgres';
import { quotaMigrations } from '@causeway/quotas';
import { migrateEventSourced, placeOf } from '@causeway/service';
import type { WebhooksConfig } from './config.ts';
import { deliveryMigrations } from './reactions/deliveries/tables.ts';

export const { schema, eventsSchema, role } = placeOf('webhooks');

const dataKeyRoles = { schema: webhookKeysSchema, owner: role, readers: [] };

export const migrateWebhooks = async (
  config: Pick<WebhooksConfig, 'databaseUrl' | 'keysDatabaseUrl'>,
): Promise<void> => {
  await migrate(config.keysDatabaseUrl ?? config.databaseUrl, webhookKeysSchema, dataKeyMigrations(dataKeyRoles));
  await migrateEventSourced('webhooks', config, [...quotaMigrations(schema), ...deliveryMigrations]);
};
