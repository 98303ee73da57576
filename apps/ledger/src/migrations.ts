import { dataKeyMigrations, connectionKeysSchema } from '@causeway/data-keys';
import { migrate } from '@causeway/postgres';
import { migrateEventSourced, placeOf, type EncryptingConfig } from '@causeway/service';
import { workQueueMigrations } from '@causeway/work-queue';
import { bookingMigrations } from './consumers/booking/booking.tables.ts';

export const { schema: ledgerSchema, eventsSchema: ledgerEventsSchema, role: ledgerRole } = placeOf('ledger');

const dataKeyRoles = { owner: 'causeway_connections', readers: [ledgerRole] };

export const migrateLedger = async (
  config: Pick<EncryptingConfig, 'databaseUrl' | 'keysDatabaseUrl'>,
): Promise<void> => {
  await migrate(config.keysDatabaseUrl ?? config.databaseUrl, connectionKeysSchema, dataKeyMigrations(dataKeyRoles));
  await migrateEventSourced('ledger', config, [...workQueueMigrations(ledgerSchema), ...bookingMigrations]);
};
