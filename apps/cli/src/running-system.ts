import {
  connectionKeysSchema,
  noDataKeys,
  payeeKeysSchema,
  postgresDataKeys,
  type DataKeys,
} from '@causeway/data-keys';
import type { EventStore } from '@causeway/event-sourcing';
import type { EventStoreSettings } from '@causeway/event-stores';
import { openPool, type Pool } from '@causeway/postgres';
import {
  keysIn,
  optional,
  secretsIn,
  text,
  type Environment,
  type KeySet,
  type KeySetting,
  type SecretRing,
  type SecretSetting,
} from '@causeway/settings';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** How to reach a running system: what it wrote when it started, or what the environment says. */
export type SystemAddress = Readonly<{ databaseUrl: string }>;

type Written = SystemAddress &
  Readonly<{
    keysDatabaseUrl?: string;
    eventStore: EventStoreSettings;
    kafkaBrokers?: string;
    webhookListener?: string;
  }>;

export class NotRunning extends Error {}

const readKept = <T>(dataDir: string, name: string): T | undefined => {
  try {
    return JSON.parse(readFileSync(join(dataDir, name), 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

export type Dev = Readonly<{ baseUrl: string; testKey?: string }>;

export const devFile = (dataDir: string): Dev | undefined => readKept<Dev>(dataDir, 'dev.json');

export const written = (dataDir: string): Written | undefined => readKept<Written>(dataDir, 'runtime.json');

export const dataDirOf = (env: Environment): string => resolve(text(env, 'CAUSEWAY_DATA_DIR', 'var'));

/** The environment comes before the data directory; each part may come from either. */
export const systemAddress = (env: Environment): SystemAddress => {
  const dataDir = dataDirOf(env);
  const databaseUrl = optional(env, 'CAUSEWAY_DATABASE_URL') ?? written(dataDir)?.databaseUrl;
  if (databaseUrl !== undefined) return { databaseUrl };
  throw new NotRunning(`no system runs in ${dataDir}: start it, or set CAUSEWAY_DATABASE_URL`);
};

/** What is given is kept nowhere: then the command needs it too. */
const secretTextAt = (env: Environment, name: SecretSetting): string => {
  const dataDir = dataDirOf(env);
  const kept = readKept<Readonly<Record<string, string>>>(dataDir, 'secrets.json');
  const secret = optional(env, name) ?? kept?.[name];
  if (secret === undefined) throw new NotRunning(`${name} must be set: ${dataDir} does not hold it`);
  return secret;
};

export const secretsAt = (env: Environment, name: SecretSetting): SecretRing =>
  secretsIn({ [name]: secretTextAt(env, name) }, name);

export const keysAt = (env: Environment, name: KeySetting): KeySet => keysIn({ [name]: secretTextAt(env, name) }, name);

/** Where the data keys are: in the same database unless the system was started with another. */
export const keysAddress = (env: Environment): SystemAddress => {
  const databaseUrl = optional(env, 'CAUSEWAY_KEYS_DATABASE_URL') ?? written(dataDirOf(env))?.keysDatabaseUrl;
  return databaseUrl === undefined ? systemAddress(env) : { databaseUrl };
};

/** Where the data keys are that the events of a service are encrypted under; of keys and webhooks, nothing is. */
const keysSchemas: Readonly<Record<string, string>> = {
  connections_events: connectionKeysSchema,
  ledger_events: connectionKeysSchema,
  transfers_events: payeeKeysSchema,
};

const sessionsMax = 3;

const openSessions = ({ databaseUrl: url }: SystemAddress): Pool =>
  openPool({ url, applicationName: 'causeway', connectionsMax: sessionsMax });

/** A store's client is loaded where it is used: that takes longer than most commands. */
export const storeSettings = async (env: Environment): Promise<EventStoreSettings> => {
  const { eventStoreSettings } = await import('@causeway/event-stores');
  const kept = written(dataDirOf(env));
  const isSet = optional(env, 'CAUSEWAY_EVENT_STORE') !== undefined;
  return isSet || kept === undefined ? eventStoreSettings(env) : kept.eventStore;
};

type OpenKeys = Readonly<{ dataKeys: DataKeys; close(): Promise<void> }>;

const openKeys = (env: Environment, schema: string): OpenKeys => {
  const masterKeys = secretsAt(env, 'CAUSEWAY_MASTER_KEY');
  const pool = openSessions(keysAddress(env));
  return { dataKeys: postgresDataKeys({ pool, masterKeys, schema }), close: () => pool.end() };
};

/** What the banks said is encrypted under these. */
export const openConnectionKeys = (env: Environment): OpenKeys => openKeys(env, connectionKeysSchema);

/** The events of a service are encrypted under these; those of some services under none. */
export const openDataKeys = (env: Environment, schema: string): OpenKeys => {
  const keysSchema = keysSchemas[schema];
  return keysSchema === undefined ? { dataKeys: noDataKeys, close: async () => undefined } : openKeys(env, keysSchema);
};

/** The events of one service. */
export const openStore = async (env: Environment, pool: Pool, schema: string): Promise<EventStore> => {
  const { openEventStore } = await import('@causeway/event-stores');
  const settings = await storeSettings(env);
  const keys = openDataKeys(env, schema);
  const store = openEventStore(settings, { pool, schema, dataKeys: keys.dataKeys });
  const close = async (): Promise<void> => {
    await store.close();
    await keys.close();
  };
  return { ...store, close };
};

/** A running service renews its leases; where none is held, a command would wait for nobody. */
const holdsLeases = async (pool: Pool, schema: string): Promise<boolean> => {
  const held = await pool.query(`SELECT FROM ${schema}.lease WHERE expires_at > clock_timestamp() LIMIT 1`);
  return held.rowCount === 1;
};

const notThere = (cause: unknown): never => {
  throw new NotRunning('the system is not running: its database does not answer', { cause });
};

/** Runs `work` against the database of a system, at work or not. */
export const onDatabase = async <T>(address: SystemAddress, work: (pool: Pool) => Promise<T>): Promise<T> => {
  const pool = openSessions(address);
  try {
    await pool.query('SELECT').catch(notThere);
    return await work(pool);
  } finally {
    await pool.end();
  }
};

/** The same for a system that runs; says so when the service that `schema` belongs to does not. */
export const onRunningSystem = <T>(
  address: SystemAddress,
  schema: string,
  work: (pool: Pool) => Promise<T>,
): Promise<T> =>
  onDatabase(address, async (pool) => {
    if (await holdsLeases(pool, schema).catch(notThere)) return work(pool);
    throw new NotRunning(`the system is not running: nothing of its ${schema} is at work`);
  });
