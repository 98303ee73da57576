import { masterKeyFrom } from '@causeway/data-keys';
import { retryPausesMs } from '@causeway/domain/webhooks';
import { logLevel } from '@causeway/observability';
import { eventStoreSettings, type EventStoreSettings } from '@causeway/event-stores';
import { integer, list, required, type Environment } from '@causeway/settings';

export type WebhooksConfig = Readonly<{
  databaseUrl: string;
  eventStore: EventStoreSettings;
  masterKey: Buffer;
  /** `host:port` of receivers that may be anywhere and may speak plain http. */
  allowedHosts: readonly string[];
  /** Of one attempt: name, connection, headers and body together. */
  deliveryTimeoutMs: number;
  /** Between attempts. Not a setting: what receivers are promised. */
  retryPausesMs: readonly number[];
  /** Of an organization in an environment; 0: no limit. */
  webhooksMax: number;
  logLevel: string;
}>;

const deliveryTimeoutMs = 10_000;

export const webhooksConfig = (env: Environment): WebhooksConfig => ({
  databaseUrl: required(env, 'CAUSEWAY_DATABASE_URL'),
  eventStore: eventStoreSettings(env),
  masterKey: masterKeyFrom(required(env, 'CAUSEWAY_MASTER_KEY')),
  allowedHosts: list(env, 'CAUSEWAY_WEBHOOK_ALLOWED_HOSTS'),
  deliveryTimeoutMs,
  retryPausesMs,
  webhooksMax: integer(env, 'CAUSEWAY_MAX_WEBHOOKS', 100, { min: 0, max: 100_000_000 }),
  logLevel: logLevel(env),
});
