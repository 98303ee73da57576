import { dataKeyMigrations, connectionKeysSchema, postgresDataKeys } from '@causeway/data-keys';
import type { EventStore } from '@causeway/event-sourcing';
import type { StoreUnderTest } from '@causeway/event-sourcing/testing';
import { migrate, openPool } from '@causeway/postgres';
import { testDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { eventStoreDb } from '../event-store.ts';
import { eventStoreDbMigrations } from '../migrations.ts';

const schema = 'spec_events';
const role = 'causeway_spec';
const keyOwner = 'causeway_spec_keys';

/** The server that the specs of the whole adapter run against: EventStoreDB 23.10 or later, or KurrentDB. */
export const serverUrl = process.env['CAUSEWAY_EVENTSTOREDB_URL'];

/** For specs that need EventStoreDB, and PostgreSQL beside it. None can be started here: without one they count as skipped. */
export const describeWithEventStoreDb = (name: string, specs: () => void): void => {
  const both = serverUrl !== undefined && process.env['CAUSEWAY_TEST_DATABASE_URL'] !== undefined;
  (both ? describe : describe.skip)(both ? name : `${name} (skipped: CAUSEWAY_EVENTSTOREDB_URL is not set)`, specs);
};

export type EventStoreDbUnderTest = StoreUnderTest &
  Readonly<{
    /** The same store by another way to the server. */
    storeAt(url: string): EventStore;
  }>;

/** An empty store on a server that others use: streams of a namespace of its own, and an order in a database of its own. */
export const eventStoreDbUnderTest = async (): Promise<EventStoreDbUnderTest> => {
  const database = await testDatabase();
  await migrate(database.url, schema, eventStoreDbMigrations(schema, role));
  await migrate(database.url, connectionKeysSchema, dataKeyMigrations({ owner: keyOwner, readers: [role] }));
  const pool = openPool({ url: database.url, applicationName: 'spec', role, connectionsMax: 12 });
  const keyPool = openPool({ url: database.url, applicationName: 'spec keys', role: keyOwner, connectionsMax: 2 });
  // One instance for all: a destroyed key is not remembered anywhere.
  const dataKeys = postgresDataKeys({ pool: keyPool, masterKeys: [{ id: '1', key: Buffer.alloc(32, 7) }] });
  const namespace = `spec_${randomUUID().replaceAll('-', '')}`;
  const storeAt = (url: string): EventStore => eventStoreDb({ url, namespace, pool, schema, dataKeys });
  const another = (): EventStore => storeAt(serverUrl ?? '');
  const store = another();
  return {
    store,
    another,
    storeAt,
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
