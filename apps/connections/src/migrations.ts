import { dataKeyMigrations, dataKeysSchema } from '@causeway/data-keys';
import { eventStoreMigrations, snapshotMigrations } from '@causeway/event-stores';
import { leaseMigrations, migrate, serviceSchemaMigrations } from '@causeway/postgres';
import { projectionMigrations, readModelsMigrations } from '@causeway/projections';
import { quotaMigrations } from '@causeway/quotas';
import { readModelsSchema } from '@causeway/read-models';
import { relayMigrations } from '@causeway/subscriptions';
import { workQueueMigrations } from '@causeway/work-queue';
import type { ConnectionsConfig } from './config.ts';
import { syncTables } from './reactions/sync-tables.ts';

export const schema = 'connections';
export const eventsSchema = 'connections_events';
export const role = 'causeway_connections';

/** connections alone makes and destroys data keys; the ledger reads bank data under them. */
const dataKeyRoles = { owner: role, readers: ['causeway_ledger'] };

/** Everything that the service needs in the database. Any number of processes may run it at once. */
export const migrateConnections = async ({ databaseUrl }: Pick<ConnectionsConfig, 'databaseUrl'>): Promise<void> => {
  await migrate(databaseUrl, dataKeysSchema, dataKeyMigrations(dataKeyRoles));
  await migrate(databaseUrl, readModelsSchema, readModelsMigrations);
  await migrate(databaseUrl, eventsSchema, eventStoreMigrations(eventsSchema, role));
  await migrate(databaseUrl, schema, [
    ...serviceSchemaMigrations(schema, role),
    ...leaseMigrations(schema),
    ...relayMigrations(schema),
    ...projectionMigrations(schema),
    ...workQueueMigrations(schema),
    ...quotaMigrations(schema),
    ...snapshotMigrations(schema),
    ...syncTables,
  ]);
};
