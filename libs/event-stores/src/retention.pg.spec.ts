import { dataKeyMigrations, connectionKeysSchema, postgresDataKeys } from '@causeway/data-keys';
import type { EventStore, StreamName } from '@causeway/event-sourcing';
import { contiguityFaults } from '@causeway/event-store-postgres/testing';
import { migrate } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';
import { eventStoreMigrations, openEventStore } from './open.ts';
import { eraseOldRuns, uuidSince } from './retention.ts';

const schema = 'spec_events';
const role = 'causeway_retention_spec';
const dayMs = 86_400_000;
const metadata = { correlationId: 'r', causationId: 'c', organization: null, environment: null };

test('ids of runs sort by their time', () => {
  const made = uuidV7({ msecs: 1_800_000_000_000 });
  expect(uuidSince(1_800_000_000_000) <= made && made < uuidSince(1_800_000_000_001)).toBe(true);
});

describeWithPostgres('runs of long ago', () => {
  let database: TestDatabase;
  let store: EventStore;
  beforeAll(async () => {
    database = await testDatabase();
    const { url, pool } = database;
    await migrate(url, connectionKeysSchema, dataKeyMigrations({ owner: role, readers: [] }));
    await migrate(url, schema, eventStoreMigrations(schema, role));
    const dataKeys = postgresDataKeys({ pool, masterKeys: [{ id: '1', key: Buffer.alloc(32, 7) }] });
    store = openEventStore({ kind: 'postgres' }, { pool, schema, dataKeys });
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  const run = async (category: string, daysAgo: number, events = 1): Promise<StreamName> => {
    const stream: StreamName = `${category}-${uuidV7({ msecs: Date.now() - daysAgo * dayMs })}`;
    const ones = Array.from({ length: events }, () => ({ id: randomUUID(), type: 'Ended', data: {} }));
    await store.append({ stream, expected: 'no-stream', events: ones, metadata, dataKey: null });
    return stream;
  };
  const isThere = async (stream: StreamName): Promise<boolean> => (await store.readStream(stream)).length > 0;

  test('are erased after 90 days, newer ones and those with pages are not, and the order stays whole', async () => {
    const old = await Promise.all(Array.from({ length: 600 }, () => run('sync', 91)));
    const kept = [
      await run('sync', 91, 3),
      await run('sync', 89),
      await run('connection', 91),
      await run('synced', 91),
    ];
    const runs = { pool: database.pool, schema, store, category: 'sync', eventsMax: 1 };
    expect(await eraseOldRuns(runs, Date.now())).toBe(600);
    expect(await Promise.all(kept.map(isThere))).toEqual([true, true, true, true]);
    expect((await Promise.all(old.map(isThere))).includes(true)).toBe(false);
    expect(await eraseOldRuns(runs, Date.now())).toBe(0);
    await store.head();
    expect(await contiguityFaults(database.pool, schema)).toEqual([]);
  });
});
