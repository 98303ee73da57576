import { eventStoreMigrations } from '@causeway/event-stores';
import { leaseMigrations, migrate, serviceSchemaMigrations } from '@causeway/postgres';
import { projectionMigrations, readModelsMigrations } from '@causeway/projections';
import { quotaMigrations } from '@causeway/quotas';
import { readModelsSchema } from '@causeway/read-models';
import { relayMigrations } from '@causeway/subscriptions';
import type { WebhooksConfig } from './config.ts';
import { deliveryMigrations } from './reactions/deliveries/tables.ts';

export const schema = 'webhooks';
export const eventsSchema = 'webhooks_events';
export const role = 'causeway_webhooks';

/** Everything that the service needs in the database. Any number of processes may run it at once. */
export const migrateWebhooks = async ({ databaseUrl }: Pick<WebhooksConfig, 'databaseUrl'>): Promise<void> => {
  await migrate(databaseUrl, readModelsSchema, readModelsMigrations);
  await migrate(databaseUrl, eventsSchema, eventStoreMigrations(eventsSchema, role));
  await migrate(databaseUrl, schema, [
    ...serviceSchemaMigrations(schema, role),
    ...leaseMigrations(schema),
    ...relayMigrations(schema),
    ...projectionMigrations(schema),
    ...quotaMigrations(schema),
    ...deliveryMigrations,
  ]);
};
