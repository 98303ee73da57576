import { masterKeyFrom } from '@causeway/data-keys';
import { eventStoreSettings, type EventStoreSettings } from '@causeway/event-stores';
import { logLevel } from '@causeway/observability';
import { integer, required, text, type Environment } from '@causeway/settings';

export type GatewayConfig = Readonly<{
  databaseUrl: string;
  eventStore: EventStoreSettings;
  masterKey: Buffer;
  /** 0: any free port. */
  port: number;
  host: string;
  /** Per key and process; 0: no limit. */
  requestsPerSecond: number;
  requestBurst: number;
  logLevel: string;
}>;

export const gatewayConfig = (env: Environment): GatewayConfig => ({
  databaseUrl: required(env, 'CAUSEWAY_DATABASE_URL'),
  eventStore: eventStoreSettings(env),
  masterKey: masterKeyFrom(required(env, 'CAUSEWAY_MASTER_KEY')),
  port: integer(env, 'CAUSEWAY_PORT', 3000, { min: 0, max: 65_535 }),
  host: text(env, 'CAUSEWAY_HOST', '127.0.0.1'),
  requestsPerSecond: integer(env, 'CAUSEWAY_REQUESTS_PER_SECOND', 100, { min: 0, max: 1_000_000 }),
  requestBurst: integer(env, 'CAUSEWAY_REQUEST_BURST', 200, { min: 0, max: 1_000_000 }),
  logLevel: logLevel(env),
});
