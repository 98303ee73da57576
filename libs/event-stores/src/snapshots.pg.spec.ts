import { dataKeyMigrations, connectionKeysSchema, postgresDataKeys } from '@causeway/data-keys';
import {
  accept,
  commandHandler,
  stateReader,
  type Decider,
  type EventStore,
  type Revision,
  type StreamName,
} from '@causeway/event-sourcing';
import { migrate } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { eventStoreMigrations, openEventStore } from './open.ts';
import { postgresSnapshots, snapshotMigrations } from './snapshots.ts';

type Counted = Readonly<{ type: 'Counted'; data: { by: number } }>;
type Count = Readonly<{ stream: StreamName; by: number }>;

const counter: Decider<{ sum: number }, Count, Counted, { code: 'none' }> = {
  initial: { sum: 0 },
  decide: (_, { by }) => accept({ type: 'Counted', data: { by } }),
  evolve: ({ sum }, { data }) => ({ sum: sum + data.by }),
};
const metadata = { correlationId: 'r', causationId: 'c', organization: null, environment: null };
const role = 'causeway_snapshot_spec';
const history = 100_000;
const perAppend = 1000;

const stateOf =
  (...reader: Parameters<typeof stateReader<{ sum: number }, Counted>>) =>
  async (stream: StreamName) =>
    (await stateReader(...reader).now(stream)).state;

describeWithPostgres('a state kept aside', () => {
  let database: TestDatabase;
  let store: EventStore;
  let read = 0;
  beforeAll(async () => {
    database = await testDatabase();
    await migrate(database.url, connectionKeysSchema, dataKeyMigrations({ owner: role, readers: [] }));
    await migrate(database.url, 'spec_events', eventStoreMigrations('spec_events', role));
    await migrate(database.url, 'spec', snapshotMigrations('spec'));
    const dataKeys = postgresDataKeys({ pool: database.pool, masterKeys: [{ id: '1', key: Buffer.alloc(32, 7) }] });
    const opened = openEventStore({ kind: 'postgres' }, { pool: database.pool, schema: 'spec_events', dataKeys });
    const readStream: EventStore['readStream'] = async (stream, options) => {
      const events = await opened.readStream<never>(stream, options);
      read += events.length;
      return events;
    };
    store = { ...opened, readStream };
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  const kept = (foldVersion = 1) => ({ cache: postgresSnapshots(database.pool, 'spec'), foldVersion });
  const handler = (snapshots = kept()) =>
    commandHandler(store, counter, { streamOf: ({ stream }) => stream, newId: randomUUID, snapshots });
  const filled = async (events: number): Promise<StreamName> => {
    const stream: StreamName = `counter-${randomUUID()}`;
    for (let at = 0; at < events; at += perAppend) {
      const expected = at === 0 ? 'no-stream' : ((at - 1) as Revision);
      const size = Math.min(perAppend, events - at);
      const ones = Array.from({ length: size }, () => ({ id: randomUUID(), type: 'Counted', data: { by: 1 } }));
      await store.append({ stream, expected, events: ones, metadata, dataKey: null });
    }
    return stream;
  };

  test('lets a command on a stream of 100,000 events read no more than one on a new stream', async () => {
    const stream = await filled(history);
    const handle = handler();
    await handle({ stream, by: 1 }, { metadata });
    expect(read).toBe(history);
    read = 0;
    for (let n = 0; n < 100; n++) await handle({ stream, by: 1 }, { metadata });
    expect(read / 100).toBeLessThan(25);
    expect(await stateOf(store, counter, kept())(stream)).toEqual({ sum: history + 101 });
    expect(await stateOf(store, counter)(stream)).toEqual({ sum: history + 101 });
  });

  test('of another fold is not used, and replaced', async () => {
    const stream = await filled(50);
    await stateOf(store, counter, kept())(stream);
    const doubled = {
      ...counter,
      evolve: ({ sum }: { sum: number }, { data }: Counted) => ({ sum: sum + 2 * data.by }),
    };
    expect(await stateOf(store, doubled, kept(2))(stream)).toEqual({ sum: 100 });
    read = 0;
    expect(await stateOf(store, doubled, kept(2))(stream)).toEqual({ sum: 100 });
    expect(read).toBe(0);
  });

  test('is not replaced by an older one', async () => {
    const stream = await filled(60);
    const { cache, foldVersion } = kept();
    await stateOf(store, counter, kept())(stream);
    await cache.save(stream, foldVersion, { state: { sum: 10 }, revision: 9 as Revision });
    expect(await stateOf(store, counter, kept())(stream)).toEqual({ sum: 60 });
  });

  test('ahead of its stream is left aside as soon as something is to be written', async () => {
    const stream = await filled(30);
    const { cache, foldVersion } = kept();
    await cache.save(stream, foldVersion, { state: { sum: 1_000_000 }, revision: 99 as Revision });
    expect((await handler()({ stream, by: 1 }, { metadata })).state).toEqual({ sum: 31 });
  });

  test('costs nothing but time when it cannot be read, written or found', async () => {
    const stream = await filled(40);
    const broken = postgresSnapshots(database.pool, 'nowhere');
    expect((await handler({ cache: broken, foldVersion: 1 })({ stream, by: 1 }, { metadata })).state).toEqual({
      sum: 41,
    });
    await stateOf(store, counter, kept())(stream);
    await kept().cache.drop(stream);
    expect((await handler()({ stream, by: 1 }, { metadata })).state).toEqual({ sum: 42 });
  });
});
