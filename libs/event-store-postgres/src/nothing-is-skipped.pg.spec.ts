import { beginning, type EventStore, type Sequenced } from '@causeway/event-sourcing';
import { newStream, numbered, orderFaults, readToHead } from '@causeway/event-sourcing/testing';
import { openPool, type PoolClient } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, withRoom } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { contiguityFaults } from './testing/contiguity.ts';
import { copyStore } from './testing/copy-store.ts';
import { randomFrom, seed } from './testing/random.ts';
import { postgresStoreUnderTest, schema, type PostgresStoreUnderTest } from './testing/store.ts';
import { startFollowing, startWriters } from './testing/writers.ts';

const random = randomFrom(seed);

/** Appends one event to a stream of its own inside the client's transaction; its id. */
const appendWithin = async (client: PoolClient): Promise<string> => {
  const id = randomUUID();
  const payload = Buffer.from(` ${JSON.stringify([{ type: 'Late', data: {} }])}`);
  const { rows } = await client.query<{ append: string }>(`SELECT ${schema}.append($1, -1, $2, '{}', NULL, $3)`, [
    newStream(),
    [id],
    payload,
  ]);
  expect(rows).toEqual([{ append: 'appended' }]);
  return id;
};

/** As a caller does whose connection broke: the same append again, until there is an answer. Its event's id. */
const appendUntilAnswered = async (store: EventStore): Promise<string> => {
  const append = numbered(newStream(), 0);
  for (;;) {
    const outcome = await store.append(append).catch(() => 'unknown');
    if (outcome === 'appended') return (append.events[0] as { id: string }).id;
    expect(outcome).toBe('unknown');
  }
};

const ids = (events: readonly Sequenced[]): string[] => events.map(({ id }) => id);

describeWithPostgres(`with 8 writers, nothing is skipped, doubled or moved (seed ${seed})`, () => {
  let made: PostgresStoreUnderTest;
  beforeEach(async () => {
    made = await postgresStoreUnderTest();
  });
  afterEach(() => made.close());

  /** Runs `disturb` while 8 writers and a subscription are at work, and checks what came out of it. */
  const checked = async (disturb: () => Promise<readonly string[]>): Promise<void> => {
    const { store, another, pool } = made;
    const others = [another(), another()];
    const writing = startWriters([store, ...others], random);
    const following = startFollowing(others[0] ?? store, beginning, random);
    const own = await disturb();
    const acknowledged = await writing.stop();
    const seen = await following.stop();

    expect(orderFaults(seen)).toEqual([]);
    expect(await contiguityFaults(pool, schema)).toEqual([]);
    expect(ids(await readToHead(store))).toEqual(ids(seen));
    expect(ids(seen).sort()).toEqual([...acknowledged, ...own].sort());
    await Promise.all(others.map((other) => other.close()));
  };

  test('a transaction that appends early and commits late holds nobody up and is seen late', async () => {
    const late = async (): Promise<string> => {
      const client = await made.owner.connect();
      try {
        await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
        const id = await appendWithin(client);
        const passed = await made.store.head();
        while ((await made.store.head()) < passed + 20) await sleep(random.below(10));
        const before = await made.store.head();
        await client.query('COMMIT');
        const { events } = await made.store.readAll(before, (await made.store.head()) - before);
        expect(ids(events)).toContain(id);
        return id;
      } finally {
        client.release();
      }
    };
    await checked(async () => [...(await Promise.all([late(), late(), late()])), await late()]);
  });

  test('a transaction that took its id long before it appends is seen when it commits', async () => {
    await checked(async () => {
      const client = await made.owner.connect();
      try {
        await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
        await client.query('SELECT pg_current_xact_id()');
        while ((await made.store.head()) < 50) await sleep(5);
        const id = await appendWithin(client);
        const passed = await made.store.head();
        while ((await made.store.head()) < passed + 50) await sleep(5);
        await client.query('COMMIT');
        return [id];
      } finally {
        client.release();
      }
    });
  });

  test('an append that is rolled back leaves no gap', async () => {
    await checked(async () => {
      for (let n = 0; n < 10; n++) {
        const client = await made.owner.connect();
        await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
        await appendWithin(client);
        await sleep(random.below(20));
        await client.query('ROLLBACK');
        client.release();
      }
      return [];
    });
  });

  test('a writer in another database that holds its transaction open stalls nothing', async () => {
    const elsewhere = await testDatabase();
    const client = await elsewhere.pool.connect();
    try {
      await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
      await client.query('CREATE TABLE held (n int)');
      await checked(async () => {
        for (let n = 0; n < 5; n++) {
          const passed = await made.store.head();
          const begun = performance.now();
          while ((await made.store.head()) < passed + 10) await sleep(2);
          expect(performance.now() - begun).toBeLessThan(withRoom(5000));
        }
        return [];
      });
      await client.query('ROLLBACK');
    } finally {
      client.release();
      await elsewhere.drop();
    }
  });

  test('a dump that is restored elsewhere keeps every position and goes on from there', async () => {
    const first = startWriters([made.store], random);
    while ((await made.store.head()) < 100) await sleep(5);
    const acknowledged = await first.stop();
    const before = await readToHead(made.store);
    // Queued, and given no position before the dump.
    const client = await made.owner.connect();
    const queued = [await appendWithin(client), await appendWithin(client)];
    client.release();

    const copy = await postgresStoreUnderTest();
    try {
      await copyStore(made.owner, copy.owner, schema);
      const writing = startWriters([copy.store, copy.another()], random);
      const checkpoint = (before[50] as Sequenced).position;
      const following = startFollowing(copy.store, checkpoint, random);
      await sleep(300);
      const more = await writing.stop();
      const seen = [...before.slice(0, 51), ...(await following.stop())];

      expect(orderFaults(seen)).toEqual([]);
      expect(seen.slice(0, before.length)).toEqual(before);
      expect(ids(seen).sort()).toEqual([...acknowledged, ...queued, ...more].sort());
      expect(await contiguityFaults(copy.pool, schema)).toEqual([]);
    } finally {
      await copy.close();
    }
  });

  test('stores on connections of their own, killed again and again, lose and double nothing', async () => {
    await checked(async () => {
      const killable = openPool({
        url: made.url,
        applicationName: 'killable',
        role: 'causeway_spec',
        connectionsMax: 4,
      });
      const store = made.storeOn(killable);
      const appended: string[] = [];
      const killing = (async () => {
        for (let n = 0; n < 20; n++) {
          await made.owner.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'killable'`,
          );
          await sleep(random.below(20));
        }
      })();
      let killed = false;
      void killing.then(() => (killed = true));
      while (!killed) appended.push(await appendUntilAnswered(store));
      await killing;
      await store.close();
      await killable.end();
      return appended;
    });
  });
});
