import {
  ipRange,
  issueApiKey,
  listApiKeys,
  revokeApiKey,
  untilRevoked,
  untilUsable,
  type ListedApiKey,
} from '@causeway/api-keys';
import { apiScopes, isOrganizationName } from '@causeway/domain/gateway';
import type { EventStore } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import type { SecretRing } from '@causeway/settings';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { secondsOf } from '../duration.ts';
import { onRunningSystem, openStore, secretsAt, systemAddress } from '../running-system.ts';
import { print, printJson, type Json } from '../print.ts';

const gatewaySchema = 'gateway';
const gatewayEvents = 'gateway_events';
/** A new organization has its default entity within this time, or something is wrong. */
const usableWithinMs = 10_000;

type CreateFlags = Json &
  Readonly<{
    organization: string;
    environment: 'live' | 'test';
    scope: readonly string[];
    expiresIn: number;
    allowIp: readonly string[];
  }>;

const now = (): string => new Date().toISOString();

type Place = Readonly<{ pool: Pool; store: EventStore; secrets: SecretRing; now: () => string }>;

/** The gateway's own events, as the gateway would append them. */
const onGateway = <T>(work: (place: Place) => Promise<T>): Promise<T> => {
  const address = systemAddress(process.env);
  const secrets = secretsAt(process.env, 'CAUSEWAY_API_KEY_SECRET');
  return onRunningSystem(address, gatewaySchema, async (pool) => {
    const store = await openStore(process.env, pool, gatewayEvents);
    try {
      return await work({ pool, store, secrets, now });
    } finally {
      await store.close();
    }
  });
};

const create = async ({ json, expiresIn, scope, allowIp, ...rest }: CreateFlags): Promise<void> => {
  const expiresAt = new Date(Date.now() + expiresIn * 1000).toISOString();
  const scopes = scope.includes('all') ? [...apiScopes] : [...new Set(scope)];
  const { organization, environment } = rest;
  const request = { organization, environment, scopes, allowedIps: allowIp, expiresAt };
  const issued = await onGateway(async (place) => {
    const made = await issueApiKey(place, request);
    if (await untilUsable(place.pool, made, usableWithinMs)) return made;
    throw new Error(`key ${made.keyId} was made, but the system did not take it within ${usableWithinMs / 1000} s`);
  });
  const { keyId, key } = issued;
  if (json === true) printJson({ keyId, key, ...request });
  else print(`${key}\nKey ${keyId} of ${organization}, ${environment}, until ${expiresAt}. It is not shown again.`);
};

const state = ({ revokedAt, expiresAt }: ListedApiKey): string => {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  return expiresAt <= now() ? `expired ${expiresAt}` : `until ${expiresAt}`;
};

const list = async ({ organization, json }: Json & Readonly<{ organization?: string }>): Promise<void> => {
  const keys = await onRunningSystem(systemAddress(process.env), gatewaySchema, (pool) =>
    listApiKeys(pool, organization),
  );
  if (json === true) printJson(keys);
  for (const key of json === true ? [] : keys) {
    const used = key.lastUsedAt === null ? 'never used' : `used ${key.lastUsedAt}`;
    print([key.keyId, key.organization, key.environment, state(key), used, key.scopes.join(',')].join('  '));
  }
};

const revoke = async (keyId: string, { json }: Json): Promise<void> => {
  const revoked = await onGateway(async (place) => {
    if ((await revokeApiKey(place, keyId)) === 'no_such_key') throw new Error(`there is no key ${keyId}`);
    if (!(await untilRevoked(place.pool, keyId, usableWithinMs))) {
      throw new Error(`key ${keyId} is revoked, but the system did not take notice in time`);
    }
    return (await listApiKeys(place.pool, undefined)).filter((key) => key.keyId === keyId);
  });
  if (json === true) printJson(revoked);
  else print(`Key ${keyId} is refused from now on, 5 s from now at the latest.`);
};

const organizationName = (name: string): string => {
  if (!isOrganizationName(name)) throw new InvalidArgumentError('1 to 64 letters, digits, dots, dashes, underscores.');
  return name;
};

const scopeName = (name: string, before: readonly string[] = []): readonly string[] => {
  if (name !== 'all' && !(apiScopes as readonly string[]).includes(name)) {
    throw new InvalidArgumentError(`Scopes are all, ${apiScopes.join(', ')}.`);
  }
  return [...before, name];
};

const lifetime = (duration: string): number => {
  const seconds = secondsOf(duration);
  if (seconds === undefined) throw new InvalidArgumentError('A whole number with s, m, h or d, such as 30d.');
  return seconds;
};

const range = (text: string, before: readonly string[] = []): readonly string[] => {
  const canonical = ipRange(text);
  if (canonical === undefined) throw new InvalidArgumentError('An address or a range, such as 192.0.2.0/24.');
  return [...before, canonical];
};

const defaultLifetimeSeconds = 365 * 86_400;

export const keysCommands = (program: Command): void => {
  const keys = program.command('keys').description('Make, list and revoke API keys of a running system');
  keys
    .command('create')
    .description('Make a key, and its organization if it is new; the key is shown once')
    .requiredOption('--organization <name>', 'whose key it is', organizationName)
    .addOption(new Option('--environment <name>', 'live or test').choices(['live', 'test']).makeOptionMandatory())
    .requiredOption('--scope <scope>', 'what it may do; several times for several; all for all', scopeName)
    .addOption(
      new Option('--expires-in <duration>', 'such as 30d').argParser(lifetime).default(defaultLifetimeSeconds, '365d'),
    )
    .option('--allow-ip <range>', 'callers must be in one of these', range, [])
    .option('--json', 'print JSON')
    .action(create);
  keys
    .command('list')
    .description('List keys, oldest first')
    .option('--organization <name>', 'of this one only', organizationName)
    .option('--json', 'print JSON')
    .action(list);
  keys.command('revoke <keyId>').description('Refuse a key from now on').option('--json', 'print JSON').action(revoke);
};
