import { eventStoreMigrations } from '@causeway/event-stores';
import { leaseMigrations, migrate, migration, serviceSchemaMigrations } from '@causeway/postgres';
import { projectionMigrations, readModelsMigrations } from '@causeway/projections';
import { gatewayRole, readModelsSchema } from '@causeway/read-models';
import { relayMigrations } from '@causeway/subscriptions';
import type { GatewayConfig } from './config.ts';

export const schema = 'gateway';
export const eventsSchema = 'gateway_events';

/** No event: a key is used many times a second, and when it was last used decides nothing. */
const apiKeyUse = migration(
  'ApiKeyUse1767225600000',
  `CREATE TABLE ${schema}.api_key_use (key_id text PRIMARY KEY, last_used_at timestamptz NOT NULL)`,
);

/** Everything that the service needs in the database. Any number of processes may run it at once. */
export const migrateGateway = async ({ databaseUrl }: Pick<GatewayConfig, 'databaseUrl'>): Promise<void> => {
  await migrate(databaseUrl, readModelsSchema, readModelsMigrations);
  await migrate(databaseUrl, eventsSchema, eventStoreMigrations(eventsSchema, gatewayRole));
  await migrate(databaseUrl, schema, [
    ...serviceSchemaMigrations(schema, gatewayRole),
    ...leaseMigrations(schema),
    ...relayMigrations(schema),
    ...projectionMigrations(schema),
    apiKeyUse,
  ]);
};
