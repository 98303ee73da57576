import { dataKeyMigrations, connectionKeysSchema, postgresDataKeys } from '@causeway/data-keys';
import type { EventStore } from '@causeway/event-sourcing';
import type { StoreUnderTest } from '@causeway/event-sourcing/testing';
import { migrate, openPool, type Pool } from '@causeway/postgres';
import { testDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { postgresEventStore } from '../event-store.ts';
import { eventStoreMigrations } from '../migrations.ts';

export const schema = 'spec_events';
export const role = 'causeway_spec';
const keyOwner = 'causeway_spec_keys';
const masterKeys = [{ id: '1', key: Buffer.alloc(32, 7) }] as const;

export type PostgresStoreUnderTest = StoreUnderTest &
  Readonly<{
    url: string;
    /** As the owner of everything. */
    owner: Pool;
    /** As the service: what the store runs on. */
    pool: Pool;
    /** A store of its own on a pool of its own. */
    storeOn(pool: Pool): EventStore;
  }>;

/** A database with an event store and data keys, as a service finds them. */
export const postgresStoreUnderTest = async (): Promise<PostgresStoreUnderTest> => {
  const database = await testDatabase();
  const { url } = database;
  await migrate(url, schema, eventStoreMigrations(schema, role));
  await migrate(url, connectionKeysSchema, dataKeyMigrations({ owner: keyOwner, readers: [role] }));
  const pool = openPool({ url, applicationName: 'spec', role, connectionsMax: 12 });
  const keyPool = openPool({ url, applicationName: 'spec keys', role: keyOwner, connectionsMax: 2 });

  // One instance for all: a destroyed key is not remembered anywhere.
  const dataKeys = postgresDataKeys({ pool: keyPool, masterKeys });
  const storeOn = (on: Pool): EventStore => postgresEventStore({ pool: on, schema, dataKeys });
  const store = storeOn(pool);
  return {
    url,
    owner: database.pool,
    pool,
    store,
    storeOn,
    another: () => storeOn(pool),
    async newConnection() {
      const connectionId = randomUUID();
      await dataKeys.create(connectionId, { organization: 'demo', environment: 'test' });
      return connectionId;
    },
    destroyDataKey: (connectionId) => dataKeys.destroy(connectionId),
    async close() {
      await store.close();
      await Promise.all([pool.end(), keyPool.end()]);
      await database.drop();
    },
  };
};
