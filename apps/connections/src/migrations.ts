import { connectionKeysSchema, migrateDataKeys } from '@causeway/data-keys';
import { snapshotMigrations } from '@causeway/event-stores';
import { quotaMigrations } from '@causeway/quotas';
import { migrateEventSourced, placeOf } from '@causeway/service';
import { workQueueMigrations } from '@causeway/work-queue';
import type { ConnectionsConfig } from './config.ts';
import { syncTables } from './reactions/sync-tables.ts';

export const { schema, eventsSchema, role } = placeOf('connections');

export const migrateConnections = async (
  config: Pick<ConnectionsConfig, 'databaseUrl' | 'keysDatabaseUrl'>,
): Promise<void> => {
  await migrateDataKeys(config.keysDatabaseUrl ?? config.databaseUrl, connectionKeysSchema);
  await migrateEventSourced('connections', config, [
    ...workQueueMigrations(schema),
    ...quotaMigrations(schema),
    ...snapshotMigrations(schema),
    ...syncTables,
  ]);
};
