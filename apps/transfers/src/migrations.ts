import { eventStoreMigrations } from '@causeway/event-stores';
import { leaseMigrations, migrate, serviceSchemaMigrations } from '@causeway/postgres';
import { projectionMigrations, readModelsMigrations } from '@causeway/projections';
import { quotaMigrations } from '@causeway/quotas';
import { relayMigrations } from '@causeway/subscriptions';
import { workQueueMigrations } from '@causeway/work-queue';
import { readModelsSchema } from '@causeway/read-models';
import type { TransfersConfig } from './config.ts';

export const schema = 'transfers';
export const eventsSchema = 'transfers_events';
export const role = 'causeway_transfers';

/** Everything that the service needs in the database. Any number of processes may run it at once. */
export const migrateTransfers = async ({ databaseUrl }: Pick<TransfersConfig, 'databaseUrl'>): Promise<void> => {
  await migrate(databaseUrl, readModelsSchema, readModelsMigrations);
  await migrate(databaseUrl, eventsSchema, eventStoreMigrations(eventsSchema, role));
  await migrate(databaseUrl, schema, [
    ...serviceSchemaMigrations(schema, role),
    ...leaseMigrations(schema),
    ...projectionMigrations(schema),
    ...relayMigrations(schema),
    ...workQueueMigrations(schema),
    ...quotaMigrations(schema),
  ]);
};
