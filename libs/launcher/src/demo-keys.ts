import { findApiKey, hasHash, issueApiKey, parseApiKey, untilUsable } from '@causeway/api-keys';
import { noDataKeys } from '@causeway/data-keys';
import { apiScopes } from '@causeway/domain/gateway';
import { openEventStore, type EventStoreSettings } from '@causeway/event-stores';
import { openPool, type Pool } from '@causeway/postgres';
import type { SecretRing } from '@causeway/settings';

export const demoOrganization = 'demo';

const lifetimeMs = 10 * 365 * 86_400_000;
const usableTimeoutMs = 30_000;

type Environment = 'live' | 'test';
type Place = Readonly<{ databaseUrl: string; eventStore: EventStoreSettings; apiKeySecrets: SecretRing }>;

/** A key of an earlier start, if this database still takes it. */
const isKnown = async (pool: Pool, secrets: SecretRing, text: string | undefined): Promise<boolean> => {
  const key = text === undefined ? undefined : parseApiKey(text);
  const row = key === undefined ? undefined : await findApiKey(pool, key.keyId);
  return key !== undefined && row !== undefined && row.revokedAt === null && hasHash(secrets, key, row.secretHash);
};

/** The two keys of the demo organization: kept from the last start, or made now. All scopes. */
export const demoKeys = async (
  { databaseUrl, eventStore, apiKeySecrets: secrets }: Place,
  kept: Readonly<{ testKey?: string; liveKey?: string }>,
): Promise<Readonly<{ testKey: string; liveKey: string }>> => {
  const pool = openPool({ url: databaseUrl, applicationName: 'demo keys', connectionsMax: 2 });
  const store = openEventStore(eventStore, { pool, schema: 'gateway_events', dataKeys: noDataKeys });
  const keyOf = async (environment: Environment, before: string | undefined): Promise<string> => {
    if (before !== undefined && (await isKnown(pool, secrets, before))) return before;
    const expiresAt = new Date(Date.now() + lifetimeMs).toISOString();
    const request = { organization: demoOrganization, environment, scopes: apiScopes, allowedIps: [], expiresAt };
    const issued = await issueApiKey({ store, secrets, now: () => new Date().toISOString() }, request);
    if (!(await untilUsable(pool, issued, usableTimeoutMs))) throw new Error('the new key did not become usable');
    return issued.key;
  };
  try {
    return { testKey: await keyOf('test', kept.testKey), liveKey: await keyOf('live', kept.liveKey) };
  } finally {
    await store.close();
    await pool.end();
  }
};
