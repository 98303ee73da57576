import { type EventStore, type Position, type Sequenced, type StreamName } from '@causeway/event-sourcing';
import { eventStoreMigrations, postgresEventStore } from '@causeway/event-store-postgres';
import type { Bus, Message } from '@causeway/messaging';
import { eventually } from '@causeway/messaging/testing';
import { leaseMigrations, migrate } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { readCheckpoint, relayMigrations } from './checkpoint.ts';
import { relay, type RelayOptions } from './relay.ts';
import type { Walk, WalkOptions } from './walk.ts';

const never = (): Promise<never> => new Promise<never>(() => undefined);

const noKeys = {
  create: never,
  isOf: never,
  destroy: never,
  encrypt: never,
  decrypt: never,
};

describeWithPostgres('walking an event store', () => {
  let database: TestDatabase;
  let store: EventStore;
  let walks: Walk[] = [];
  let schema = '';
  let warned: unknown[] = [];
  const write = (line: Buffer, _: string, done: () => void): void => {
    const { level, walk, err, msg } = JSON.parse(line.toString()) as Record<string, unknown>;
    warned.push([level, walk, (err as Error).message, msg]);
    done();
  };
  const log = pino({ base: null }, new Writable({ write }));

  beforeAll(async () => {
    database = await testDatabase();
  });
  beforeEach(async () => {
    schema = `s_${randomUUID().slice(0, 8)}`;
    await migrate(database.url, schema, [...leaseMigrations(schema), ...relayMigrations(schema)]);
    await migrate(database.url, `${schema}_events`, eventStoreMigrations(`${schema}_events`, 'causeway_suite'));
    store = postgresEventStore({ pool: database.pool, schema: `${schema}_events`, dataKeys: noKeys });
  });
  afterEach(async () => {
    await Promise.all(walks.map((walk) => walk.stop()));
    walks = [];
    warned = [];
    await store.close();
  });
  afterAll(() => database.drop());

  const walkOptions = (name: string): WalkOptions => {
    return { name, store, pool: database.pool, schema, batchEvents: 5, log };
  };
  const append = async (stream: StreamName, ...types: string[]): Promise<void> => {
    const events = types.map((type) => ({ id: randomUUID(), type, data: {} }));
    const metadata = { correlationId: 'req-1', causationId: 'c-1', organization: null, environment: null };
    const expected = (await store.readStream(stream)).at(-1)?.revision ?? 'no-stream';
    expect(await store.append({ stream, expected, events, metadata, dataKey: null })).toBe('appended');
  };
  const checkpoint = (name: string) => readCheckpoint(database.pool, { schema, name });

  describe('a relay', () => {
    const published: Message[] = [];
    let failing = false;
    const bus: Bus = {
      publish: async (_topic, messages) => {
        if (failing) throw new Error('the broker is down');
        published.push(...messages);
      },
      request: never,
      ready: () => !failing,
      close: async () => undefined,
    };
    const publish = ({ id, type, stream, metadata }: Sequenced) => {
      const { correlationId } = metadata;
      const message = { id, type, key: stream, data: {}, correlationId, causationId: id };
      return type === 'Private' ? undefined : { topic: 't', message };
    };
    const start = (options: Partial<RelayOptions> = {}): Walk => {
      const walk = relay({ ...walkOptions('relay'), bus, publish, ...options });
      walks.push(walk);
      return walk;
    };
    const types = () => published.map(({ type }) => type);
    beforeEach(() => {
      published.length = 0;
      failing = false;
    });

    test('publishes what is meant for others, in order, what was there before and what comes after', async () => {
      await append('a-1', 'E1', 'Private', 'E2');
      const walk = start();
      await eventually(() => expect(types()).toEqual(['E1', 'E2']));
      await append('a-1', ...Array.from({ length: 12 }, (_, n) => `F${n}`));
      await eventually(() => expect(published).toHaveLength(14));
      expect(types().slice(2)).toEqual(Array.from({ length: 12 }, (_, n) => `F${n}`));
      await eventually(async () => expect(await walk.status()).toMatchObject({ position: 15, lag: 0 }));
    });

    test('goes on where it stopped', async () => {
      await append('a-1', 'E1');
      const first = start();
      await eventually(async () => expect(await checkpoint('relay')).toBe(1));
      await first.stop();
      await append('a-1', 'E2');
      start();
      await eventually(() => expect(types()).toEqual(['E1', 'E2']));
    });

    test('reads what has come, and nothing while it waits for more', async () => {
      const reads: Position[] = [];
      const readAll: EventStore['readAll'] = (after, limit) => {
        reads.push(after);
        return store.readAll(after, limit);
      };
      await append('a-1', 'E1', 'E2');
      start({ store: { ...store, readAll } });
      await eventually(() => expect(published).toHaveLength(2));
      await append('a-1', 'E3');
      await eventually(async () => expect(await checkpoint('relay')).toBe(3));
      await sleep(50);
      expect(reads).toEqual([0, 2]);
    });

    test('keeps its checkpoint while the bus is down, says so, and catches up by itself', async () => {
      failing = true;
      await append('a-1', 'E1', 'E2');
      const walk = start();
      await eventually(() => expect(warned).toHaveLength(1));
      expect(await walk.status()).toEqual({ name: 'relay', position: 0, lag: 2 });
      failing = false;
      await eventually(() => expect(types()).toEqual(['E1', 'E2']));
      await eventually(async () => expect(await walk.status()).toMatchObject({ lag: 0 }));
      expect(warned).toEqual([[40, 'relay', 'the broker is down', 'tried again later']]);
    });

    test('never goes past its gate', async () => {
      let gate = 2 as Position;
      await append('a-1', 'E1', 'E2', 'E3', 'E4');
      start({ upTo: async () => gate });
      await eventually(async () => expect(await checkpoint('relay')).toBe(2));
      await sleep(100);
      expect(types()).toEqual(['E1', 'E2']);
      gate = 3 as Position;
      await eventually(() => expect(types()).toEqual(['E1', 'E2', 'E3']));
    });

    test('of two started, one publishes; when it stops the other goes on from its checkpoint', async () => {
      const first = start();
      const second = start();
      for (let n = 0; n < 10; n++) await append('a-1', `E${n}`);
      await eventually(() => expect(published).toHaveLength(10));
      await Promise.race([first.stop(), sleep(2000)]);
      await append('a-1', 'E10');
      await eventually(() => expect(types()).toEqual(Array.from({ length: 11 }, (_, n) => `E${n}`)));
      await second.stop();
    });
  });
});
