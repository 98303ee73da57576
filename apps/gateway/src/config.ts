import { eventSourcedConfig, type EventSourcedConfig } from '@causeway/service';
import { integer, secretsIn, text, type Environment, type SecretRing } from '@causeway/settings';

export type GatewayConfig = EventSourcedConfig &
  Readonly<{
    /** Of the hashes of API keys. */
    apiKeySecrets: SecretRing;
    cursorSecrets: SecretRing;
    /** 0: any free port. */
    port: number;
    host: string;
    /** Per key and process; 0: no limit. */
    requestsPerSecond: number;
    requestBurst: number;
  }>;

export const gatewayConfig = (env: Environment): GatewayConfig => ({
  ...eventSourcedConfig(env),
  apiKeySecrets: secretsIn(env, 'CAUSEWAY_API_KEY_SECRET'),
  cursorSecrets: secretsIn(env, 'CAUSEWAY_CURSOR_SECRET'),
  port: integer(env, 'CAUSEWAY_PORT', 3000, { min: 0, max: 65_535 }),
  host: text(env, 'CAUSEWAY_HOST', '127.0.0.1'),
  requestsPerSecond: integer(env, 'CAUSEWAY_REQUESTS_PER_SECOND', 100, { min: 0, max: 1_000_000 }),
  requestBurst: integer(env, 'CAUSEWAY_REQUEST_BURST', 200, { min: 0, max: 1_000_000 }),
});
