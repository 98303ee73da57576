import { migrateDataKeys, payeeKeysSchema } from '@causeway/data-keys';
import { quotaMigrations } from '@causeway/quotas';
import { migrateEventSourced, placeOf } from '@causeway/service';
import { workQueueMigrations } from '@causeway/work-queue';
import type { TransfersConfig } from './config.ts';

export const { schema, eventsSchema } = placeOf('transfers');

export const migrateTransfers = async (
  config: Pick<TransfersConfig, 'databaseUrl' | 'keysDatabaseUrl'>,
): Promise<void> => {
  await migrateDataKeys(config.keysDatabaseUrl ?? config.databaseUrl, payeeKeysSchema);
  await migrateEventSourced('transfers', config, [...workQueueMigrations(schema), ...quotaMigrations(schema)]);
};
