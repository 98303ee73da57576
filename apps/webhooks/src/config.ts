import { retryPausesMs } from '@causeway/domain/webhooks';
import { encryptingConfig, type EncryptingConfig } from '@causeway/service';
import { integer, list, type Environment } from '@causeway/settings';

export type WebhooksConfig = EncryptingConfig &
  Readonly<{
    /** `host:port` of receivers that may be anywhere and may speak plain http. */
    allowedHosts: readonly string[];
    /** Of one attempt: name, connection, headers and body together. */
    deliveryTimeoutMs: number;
    /** Between attempts. Not a setting: what receivers are promised. */
    retryPausesMs: readonly number[];
    /** Of an organization in an environment; 0: no limit. */
    webhooksMax: number;
  }>;

const deliveryTimeoutMs = 10_000;

export const webhooksConfig = (env: Environment): WebhooksConfig => ({
  ...encryptingConfig(env),
  allowedHosts: list(env, 'CAUSEWAY_WEBHOOK_ALLOWED_HOSTS'),
  deliveryTimeoutMs,
  retryPausesMs,
  webhooksMax: integer(env, 'CAUSEWAY_MAX_WEBHOOKS', 100, { min: 0, max: 100_000_000 }),
});
