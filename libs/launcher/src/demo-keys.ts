import { findApiKey, hasHash, issueApiKey, parseApiKey, pepperOf, untilUsable } from '@causeway/api-keys';
import { masterKeyFrom, postgresDataKeys } from '@causeway/data-keys';
import { openEventStore, type EventStoreSettings } from '@causeway/event-stores';
import { openPool, type Pool } from '@causeway/postgres';

export const demoOrganization = 'demo';

const scopes = ['entities', 'connections', 'accounts', 'transactions', 'transfers', 'webhooks'].flatMap((resource) =>
  resource === 'accounts' || resource === 'transactions'
    ? [`${resource}:read`]
    : [`${resource}:read`, `${resource}:write`],
);
const lifetimeMs = 10 * 365 * 86_400_000;
const usableTimeoutMs = 30_000;

type Environment = 'live' | 'test';
type Place = Readonly<{ databaseUrl: string; eventStore: EventStoreSettings; masterKey: string }>;

/** A key of an earlier start, if this database still takes it. */
const isKnown = async (pool: Pool, pepper: Buffer, text: string | undefined): Promise<boolean> => {
  const key = text === undefined ? undefined : parseApiKey(text);
  const row = key === undefined ? undefined : await findApiKey(pool, key.keyId);
  return key !== undefined && row !== undefined && row.revokedAt === null && hasHash(pepper, key, row.secretHash);
};

/** The two keys of the demo organization: kept from the last start, or made now. All scopes. */
export const demoKeys = async (
  { databaseUrl, eventStore, masterKey: text }: Place,
  kept: Readonly<{ testKey?: string; liveKey?: string }>,
): Promise<Readonly<{ testKey: string; liveKey: string }>> => {
  const masterKey = masterKeyFrom(text);
  const pool = openPool({ url: databaseUrl, applicationName: 'demo keys', connectionsMax: 2 });
  const dataKeys = postgresDataKeys({ pool, masterKey });
  const store = openEventStore(eventStore, { pool, schema: 'gateway_events', dataKeys });
  const pepper = pepperOf(masterKey);
  const keyOf = async (environment: Environment, before: string | undefined): Promise<string> => {
    if (before !== undefined && (await isKnown(pool, pepper, before))) return before;
    const expiresAt = new Date(Date.now() + lifetimeMs).toISOString();
    const request = { organization: demoOrganization, environment, scopes, allowedIps: [], expiresAt };
    const issued = await issueApiKey({ store, pepper, now: () => new Date().toISOString() }, request);
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
