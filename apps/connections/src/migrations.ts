import { dataKeyMigrations, connectionKeysSchema } from '@causeway/data-keys';
import { snapshotMigrations } from '@causeway/event-stores';
import { migrate } from '@causeway/postgres';
import { quotaMigrations } from '@causeway/quotas';
import { migrateEventSourced, placeOf } from '@causeway/service';
import { workQueueMigrations } from '@causeway/work-queue';
import type { ConnectionsConfig } from './config.ts';
import { syncTables } from './reactions/sync-tables.ts';

export const { schema, eventsSchema, role } = placeOf('connections');

/** connections alone makes and destroys data keys; the ledger reads bank data under them. */
const dataKeyRoles = { owner: role, readers: ['causeway_ledger'] };

export const migrateConnections = async (
  config: Pick<ConnectionsConfig, 'databaseUrl' | 'keysDatabaseUrl'>,
): Promise<void> => {
  await migrate(config.keysDatabaseUrl ?? config.databaseUrl, connectionKeysSchema, dataKeyMigrations(dataKeyRoles));
  await migrateEventSourced('connections', config, [
    ...workQueueMigrations(schema),
    ...quotaMigrations(schema),
    ...snapshotMigrations(schema),
    ...syncTables,
  ]);
};
