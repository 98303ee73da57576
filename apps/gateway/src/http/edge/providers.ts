import { tokenBuckets, type RateLimit } from '@causeway/http';
import { OWN, type EventSourced } from '@causeway/service';
import type { Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GatewayConfig } from '../../config.ts';
import { accessTokens, type AccessTokens } from './access-tokens.ts';
import { admission } from './admission.ts';
import { authentication, type Authentications } from './authentication.ts';
import { addressBehind, type AddressOf } from './caller-address.ts';
import { Faults } from './faults.ts';
import { identification, takeByAddress, type Identify } from './identification.ts';
import { ReadsInput, TakesNothingUndeclared } from './input.ts';
import type { KeyUse } from './key-use.ts';
import { knownPaths } from './known-paths.ts';
import { operationFinder, type Operation } from './operations.ts';
import type { Sessions } from './sessions.ts';
import type { Exists } from './targets.ts';
import {
  ACCESS_TOKENS,
  ADDRESS_OF,
  ADMIT,
  AUTHENTICATION,
  EXISTS,
  IDENTIFY_BEARER,
  IDENTIFY_CLIENT,
  KEY_USE,
  OPERATIONS,
  RATE_LIMIT,
  SESSIONS,
} from './tokens.ts';

/** Where this process is reached, when nobody says how clients reach it. */
const addressServed = ({ httpAdapter }: HttpAdapterHost): string => {
  const { address, family, port } = (httpAdapter.getHttpServer() as Server).address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};

const rateLimit = ({ requestsPerSecond, requestBurst }: GatewayConfig): RateLimit | null =>
  requestsPerSecond === 0 ? null : tokenBuckets(requestsPerSecond, requestBurst, () => performance.now());

type Admitting = readonly [Identify<string | undefined>, RateLimit | null, readonly Operation[], Exists, AddressOf];

/** Who may come in. */
const gate = (config: GatewayConfig): readonly Provider[] => [
  { provide: ADDRESS_OF, useFactory: () => addressBehind(config.proxies) },
  { provide: RATE_LIMIT, useFactory: () => rateLimit(config) },
  {
    provide: ACCESS_TOKENS,
    inject: [HttpAdapterHost],
    useFactory: (host: HttpAdapterHost) => {
      const publicUrl = (): string => config.publicUrl ?? addressServed(host);
      return accessTokens({ keys: config.tokenKeys, publicUrl, nowMs: Date.now });
    },
  },
  {
    provide: AUTHENTICATION,
    inject: [SESSIONS, ACCESS_TOKENS, KEY_USE],
    useFactory: ({ credentials: pool }: Sessions, tokens: AccessTokens, { used }: KeyUse) =>
      authentication({ pool, secrets: config.apiKeySecrets, tokens, nowMs: Date.now, used }),
  },
  {
    provide: IDENTIFY_BEARER,
    inject: [AUTHENTICATION, RATE_LIMIT],
    useFactory: ({ bearer }: Authentications, limit: RateLimit | null) => identification(bearer, limit),
  },
  {
    provide: IDENTIFY_CLIENT,
    inject: [AUTHENTICATION, RATE_LIMIT],
    useFactory: ({ client }: Authentications, limit: RateLimit | null) => identification(client, limit),
  },
  {
    provide: ADMIT,
    inject: [IDENTIFY_BEARER, RATE_LIMIT, OPERATIONS, EXISTS, ADDRESS_OF],
    useFactory: (...[identify, limit, operations, exists, addressOf]: Admitting) =>
      admission({
        ...{ identify, takeByAddress: takeByAddress(limit), exists, addressOf },
        ...{ operationOf: operationFinder(operations), knownPath: knownPaths(operations) },
      }),
  },
];

/** What is made of what comes in, and of what goes wrong. */
const forEveryRoute: readonly Provider[] = [
  { provide: APP_GUARD, useClass: TakesNothingUndeclared },
  { provide: APP_PIPE, useClass: ReadsInput },
  {
    provide: APP_FILTER,
    inject: [OWN, EXISTS],
    useFactory: ({ log }: EventSourced, exists: Exists) => new Faults(log, exists),
  },
];

export const edgeProviders = (config: GatewayConfig): readonly Provider[] => [...gate(config), ...forEveryRoute];
