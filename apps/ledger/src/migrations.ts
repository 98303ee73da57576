import { dataKeyMigrations, dataKeysSchema } from '@causeway/data-keys';
import { eventStoreMigrations } from '@causeway/event-stores';
import { leaseMigrations, migrate, serviceSchemaMigrations } from '@causeway/postgres';
import { projectionMigrations, readModelsMigrations } from '@causeway/projections';
import { readModelsSchema } from '@causeway/read-models';
import { relayMigrations } from '@causeway/subscriptions';
import { workQueueMigrations } from '@causeway/work-queue';
import type { LedgerConfig } from './config.ts';
import { bookingMigrations } from './consumers/booking/booking.tables.ts';

export const ledgerRole = 'causeway_ledger';
export const ledgerSchema = 'ledger';
export const ledgerEventsSchema = 'ledger_events';

const ledgerMigrations = [
  ...serviceSchemaMigrations(ledgerSchema, ledgerRole),
  ...leaseMigrations(ledgerSchema),
  ...relayMigrations(ledgerSchema),
  ...workQueueMigrations(ledgerSchema),
  ...projectionMigrations(ledgerSchema),
  ...bookingMigrations,
];

/** Everything in the database that this service needs. Any number of processes may start at once. */
export const migrateLedger = async ({ databaseUrl }: Pick<LedgerConfig, 'databaseUrl'>): Promise<void> => {
  await migrate(
    databaseUrl,
    dataKeysSchema,
    dataKeyMigrations({ owner: 'causeway_connections', readers: [ledgerRole] }),
  );
  await migrate(databaseUrl, readModelsSchema, readModelsMigrations);
  await migrate(databaseUrl, ledgerEventsSchema, eventStoreMigrations(ledgerEventsSchema, ledgerRole));
  await migrate(databaseUrl, ledgerSchema, ledgerMigrations);
};
