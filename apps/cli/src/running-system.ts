import { masterKeyFrom, postgresDataKeys } from '@causeway/data-keys';
import type { EventStore } from '@causeway/event-sourcing';
import type { EventStoreSettings } from '@causeway/event-stores';
import { openPool, type Pool } from '@causeway/postgres';
import { optional, text, type Environment } from '@causeway/settings';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** How to reach a running system: what it wrote when it started, or what the environment says. */
export type SystemAddress = Readonly<{
  databaseUrl: string;
  masterKey: string;
}>;

type Written = SystemAddress & Readonly<{ eventStore: EventStoreSettings; kafkaBrokers?: string }>;

export class NotRunning extends Error {}

export const written = (dataDir: string): Written | undefined => {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'runtime.json'), 'utf8')) as Written;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

export const dataDirOf = (env: Environment): string => resolve(text(env, 'CAUSEWAY_DATA_DIR', 'var'));

/** The environment comes before the data directory; each part may come from either. */
export const systemAddress = (env: Environment): SystemAddress => {
  const dataDir = dataDirOf(env);
  const kept = written(dataDir);
  const databaseUrl = optional(env, 'CAUSEWAY_DATABASE_URL') ?? kept?.databaseUrl;
  const masterKey = optional(env, 'CAUSEWAY_MASTER_KEY') ?? kept?.masterKey;
  if (databaseUrl === undefined || masterKey === undefined) {
    throw new NotRunning(
      `no system runs in ${dataDir}: start it, or set CAUSEWAY_DATABASE_URL and CAUSEWAY_MASTER_KEY`,
    );
  }
  return { databaseUrl, masterKey };
};

/** The events of one service. Only here is a store's client loaded: that takes longer than most commands. */
export const openStore = async (env: Environment, pool: Pool, schema: string): Promise<EventStore> => {
  const { eventStoreSettings, openEventStore } = await import('@causeway/event-stores');
  const kept = written(dataDirOf(env));
  const isSet = optional(env, 'CAUSEWAY_EVENT_STORE') !== undefined;
  const settings = isSet || kept === undefined ? eventStoreSettings(env) : kept.eventStore;
  const dataKeys = postgresDataKeys({ pool, masterKey: masterKeyFrom(systemAddress(env).masterKey) });
  return openEventStore(settings, { pool, schema, dataKeys });
};

const sessionsMax = 3;

/** A running service renews its leases; where none is held, a command would wait for nobody. */
const holdsLeases = async (pool: Pool, schema: string): Promise<boolean> => {
  const held = await pool.query(`SELECT FROM ${schema}.lease WHERE expires_at > clock_timestamp() LIMIT 1`);
  return held.rowCount === 1;
};

/** Runs `work` against the database of a running system; says so when the service that `schema` belongs to is not. */
export const onRunningSystem = async <T>(
  { databaseUrl }: SystemAddress,
  schema: string,
  work: (pool: Pool) => Promise<T>,
): Promise<T> => {
  const pool = openPool({ url: databaseUrl, applicationName: 'causeway', connectionsMax: sessionsMax });
  try {
    const runs = await holdsLeases(pool, schema).catch((cause: unknown) => {
      throw new NotRunning('the system is not running: its database does not answer', { cause });
    });
    if (!runs) throw new NotRunning(`the system is not running: nothing of its ${schema} is at work`);
    return await work(pool);
  } finally {
    await pool.end();
  }
};
