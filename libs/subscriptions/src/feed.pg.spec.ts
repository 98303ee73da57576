import type { EventStore, Sequenced, StreamName } from '@causeway/event-sourcing';
import { eventStoreMigrations, postgresEventStore } from '@causeway/event-store-postgres';
import { eventually } from '@causeway/messaging/testing';
import { leaseMigrations, migrate, type PoolClient } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, withRoom, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { readCheckpoint, relayMigrations } from './checkpoint.ts';
import { startFeed, type FeedOptions } from './feed.ts';
import type { Walk } from './walk.ts';

const never = (): Promise<never> => new Promise<never>(() => undefined);
const noKeys = {
  ...{ create: never, isOf: never, destroy: never, encrypt: never, decrypt: never },
};
const schema = 'fed';

describeWithPostgres('a feed', () => {
  let database: TestDatabase;
  let store: EventStore;
  const walks: Walk[] = [];

  beforeAll(async () => {
    database = await testDatabase();
    await migrate(database.url, schema, [...leaseMigrations(schema), ...relayMigrations(schema)]);
    await database.pool.query(`CREATE TABLE fed.row (type text)`);
    await migrate(database.url, 'fed_events', eventStoreMigrations('fed_events', 'causeway_suite'));
    store = postgresEventStore({ pool: database.pool, schema: 'fed_events', dataKeys: noKeys });
  });
  afterEach(async () => {
    await Promise.all(walks.splice(0).map((walk) => walk.stop()));
    await database.pool.query('DELETE FROM fed.row');
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  const append = async (...types: string[]): Promise<void> => {
    const metadata = { correlationId: 'r', causationId: 'r', organization: null, environment: null };
    const stream: StreamName = `s-${randomUUID()}`;
    const events = types.map((type) => ({ id: randomUUID(), type, data: {} }));
    await store.append({ stream, expected: 'no-stream', events, metadata, dataKey: null });
  };
  const write = async (tx: PoolClient, events: readonly Sequenced[]): Promise<void> => {
    for (const { type } of events) await tx.query('INSERT INTO fed.row VALUES ($1)', [type]);
  };
  const start = (options: Partial<FeedOptions> = {}): { walk: Walk; fed: () => number } => {
    let times = 0;
    const log = pino({ level: 'silent' });
    const options_ = { name: 'feed', store, pool: database.pool, schema, log, take: write, fed: () => (times += 1) };
    const walk = startFeed({ ...options_, ...options });
    walks.push(walk);
    return { walk, fed: () => times };
  };
  const rows = async (): Promise<string[]> =>
    (await database.pool.query<{ type: string }>('SELECT type FROM fed.row ORDER BY type')).rows.map(
      ({ type }) => type,
    );
  const position = () => readCheckpoint(database.pool, { schema, name: 'feed' });

  test('rows and checkpoint commit together: what fails half-way leaves neither, and comes again', async () => {
    let tries = 0;
    const { fed } = start({
      take: async (tx, events) => {
        await write(tx, events);
        if (++tries === 1) throw new Error('killed');
      },
    });
    const before = await position();
    await append('A1', 'A2');
    await eventually(async () => expect(await rows()).toEqual(['A1', 'A2']));
    await eventually(async () => expect(await position()).toBe(before + 2));
    expect([tries > 1, fed() > 0]).toEqual([true, true]);
  });

  test('of two started, no event is taken twice, also when one of them ends', async () => {
    const { walk } = start();
    start();
    for (let n = 0; n < 10; n++) await append(`B${n}`);
    await walk.stop();
    for (let n = 0; n < 10; n++) await append(`C${n}`);
    await eventually(async () => expect((await rows()).length).toBeGreaterThanOrEqual(20));
    expect(await rows()).toEqual(Array.from({ length: 20 }, (_, n) => `${n < 10 ? 'B' : 'C'}${n % 10}`));
  });

  test('what does not concern it is passed over', async () => {
    const { fed } = start({ concerns: ({ type }) => type.startsWith('D') });
    const before = await position();
    await append('E1', 'E2');
    await eventually(async () => expect(await position()).toBe(before + 2));
    expect(fed()).toBe(0);
    await append('E3', 'D1');
    await eventually(async () => expect(await rows()).toEqual(['D1']));
  });

  test('one that stands still inside its transaction is put out of it, and another goes on within 5 s', async () => {
    let stuck = false;
    let wakeUp = (): void => undefined;
    const asleep = new Promise<void>((resolve) => (wakeUp = resolve));
    start({
      take: async (tx, events) => {
        await write(tx, events);
        if (stuck) return;
        stuck = true;
        // As if its process stood still: its lease runs out.
        await database.pool.query(`UPDATE fed.lease SET name = 'of another'`).catch(() => undefined);
        await asleep;
      },
    });
    await append('F1');
    await eventually(() => expect(stuck).toBe(true));
    const since = performance.now();
    start();
    await eventually(async () => expect(await rows()).toEqual(['F1']));
    expect(performance.now() - since).toBeLessThan(withRoom(5000));
    wakeUp();
    await sleep(500);
    expect(await rows()).toEqual(['F1']);
  });
});
