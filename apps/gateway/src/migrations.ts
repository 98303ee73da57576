import { migration } from '@causeway/postgres';
import { migrateEventSourced, placeOf } from '@causeway/service';
import type { GatewayConfig } from './config.ts';

export const { schema, eventsSchema } = placeOf('gateway');

/** Of `ApiKeyUse`. */
const apiKeyUse = migration(
  'ApiKeyUse1767225600000',
  `CREATE TABLE ${schema}.api_key_use (key_id text PRIMARY KEY, last_used_at timestamptz NOT NULL)`,
);

export const migrateGateway = (config: Pick<GatewayConfig, 'databaseUrl'>): Promise<void> =>
  migrateEventSourced('gateway', config, [apiKeyUse]);
