import { connectionKeysSchema, migrateDataKeys } from '@causeway/data-keys';
import { migrateEventSourced, placeOf, type EncryptingConfig } from '@causeway/service';
import { workQueueMigrations } from '@causeway/work-queue';
import { bookingMigrations } from './booking/booking.tables.ts';

export const { schema: ledgerSchema, eventsSchema: ledgerEventsSchema, role: ledgerRole } = placeOf('ledger');

export const migrateLedger = async (
  config: Pick<EncryptingConfig, 'databaseUrl' | 'keysDatabaseUrl'>,
): Promise<void> => {
  await migrateDataKeys(config.keysDatabaseUrl ?? config.databaseUrl, connectionKeysSchema);
  await migrateEventSourced('ledger', config, [...workQueueMigrations(ledgerSchema), ...bookingMigrations]);
};
