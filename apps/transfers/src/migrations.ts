import { quotaMigrations } from '@causeway/quotas';
import { migrateEventSourced, placeOf } from '@causeway/service';
import { workQueueMigrations } from '@causeway/work-queue';
import type { TransfersConfig } from './config.ts';

export const { schema, eventsSchema } = placeOf('transfers');

export const migrateTransfers = (config: Pick<TransfersConfig, 'databaseUrl'>): Promise<void> =>
  migrateEventSourced('transfers', config, [...workQueueMigrations(schema), ...quotaMigrations(schema)]);
