import { eventSourcedConfig, type EventSourcedConfig } from '@causeway/service';
import { ipRange } from '@causeway/api-keys';
import {
  integer,
  list,
  oneOf,
  optional,
  keysIn,
  secretsIn,
  SettingInvalid,
  text,
  type Environment,
  type KeySet,
  type SecretRing,
} from '@causeway/settings';
import type { Proxies } from './http/edge/caller-address.ts';

export type GatewayConfig = EventSourcedConfig &
  Readonly<{
    /** Of the hashes of API keys. */
    apiKeySecrets: SecretRing;
    cursorSecrets: SecretRing;
    /** Sign access tokens. */
    tokenKeys: KeySet;
    /** As clients know it; undefined: the address served. */
    publicUrl: string | undefined;
    proxies: Proxies;
    /** 0: any free port. */
    port: number;
    host: string;
    /** Per key and process; 0: no limit. */
    requestsPerSecond: number;
    requestBurst: number;
  }>;

/** As it is written, since tokens name it; relative to it clients find everything else. */
const publicUrl = (env: Environment): string | undefined => {
  const name = 'CAUSEWAY_PUBLIC_URL';
  const written = optional(env, name);
  if (written === undefined) return undefined;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url !== undefined && /^https?:[^?#@]+$/.test(url.href)) return written;
  throw new SettingInvalid(`${name} must be an http or https URL without user, query and fragment`);
};

const proxies = (env: Environment): Proxies => ({
  trusted: list(env, 'CAUSEWAY_TRUSTED_PROXIES').map((written) => {
    const range = ipRange(written);
    if (range === undefined) throw new SettingInvalid('CAUSEWAY_TRUSTED_PROXIES must be a list of CIDR ranges');
    return range;
  }),
  header: oneOf(env, 'CAUSEWAY_PROXY_HEADER', 'x-forwarded-for', ['x-forwarded-for', 'forwarded']),
});

export const gatewayConfig = (env: Environment): GatewayConfig => ({
  ...eventSourcedConfig(env),
  apiKeySecrets: secretsIn(env, 'CAUSEWAY_API_KEY_SECRET'),
  cursorSecrets: secretsIn(env, 'CAUSEWAY_CURSOR_SECRET'),
  tokenKeys: keysIn(env, 'CAUSEWAY_TOKEN_KEYS'),
  publicUrl: publicUrl(env),
  proxies: proxies(env),
  port: integer(env, 'CAUSEWAY_PORT', 3000, { min: 0, max: 65_535 }),
  host: text(env, 'CAUSEWAY_HOST', '127.0.0.1'),
  requestsPerSecond: integer(env, 'CAUSEWAY_REQUESTS_PER_SECOND', 100, { min: 0, max: 1_000_000 }),
  requestBurst: integer(env, 'CAUSEWAY_REQUEST_BURST', 200, { min: 0, max: 1_000_000 }),
});
