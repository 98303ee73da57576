import { beginning, type EventStore, type Position, type Sequenced } from '@causeway/event-sourcing';
import { newStream, numbered, orderFaults, readToHead } from '@causeway/event-sourcing/testing';
import type { Pool } from '@causeway/postgres';
import { describeWithPostgres } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom, seed } from './testing/random.ts';
import { postgresStoreUnderTest, type PostgresStoreUnderTest } from './testing/store.ts';
import { startWriters } from './testing/writers.ts';

const random = randomFrom(seed);
const readers = 6;

/** The pool, and the names of the appends that were read through it, each as often as it was. */
const counting = (pool: Pool) => {
  const read: string[] = [];
  const query = async (statement: { name: string; text: string }): Promise<unknown> => {
    const answer = await pool.query<{ stream: string; last_revision: number }>(statement);
    const isRead = statement.name.endsWith('.read_all');
    if (isRead) for (const { stream, last_revision } of answer.rows) read.push(`${stream}@${last_revision}`);
    return answer;
  };
  const counted = new Proxy(pool, {
    get: (of, name) => (name === 'query' ? query : (Reflect.get(of, name) as unknown)),
  });
  return { read, counted };
};

/** Follows to `until`, now and then slower than it could. All that it was given, which nobody can change. */
const follow = async (store: EventStore, until: () => Position, pauseMs: number): Promise<Sequenced[]> => {
  const seen: Sequenced[] = [];
  for (let position = beginning; position < until();) {
    const batch = await store.readAll(position, 1 + random.below(60));
    for (const event of batch.events) seen.push(Object.freeze(event));
    if (batch.position === position) await store.changed(position, AbortSignal.timeout(50));
    position = batch.position;
    if (random.below(4) === 0) await sleep(random.below(pauseMs));
  }
  return seen;
};

describeWithPostgres(`what one has read is given to the others (seed ${seed})`, () => {
  let made: PostgresStoreUnderTest;
  beforeEach(async () => {
    made = await postgresStoreUnderTest();
  });
  afterEach(() => made.close());

  test('readers of any speed, with writers here and elsewhere, see all events once and in order', async () => {
    const { store, another } = made;
    const other = another();
    const writing = startWriters([store, other], random);
    let head = Infinity as Position;
    const following = Array.from({ length: readers }, (_, n) => follow(store, () => head, 1 + n * n * 20));
    await sleep(1500);
    const acknowledged = await writing.stop();
    head = await store.head();

    const whole = await readToHead(other);
    expect(orderFaults(whole)).toEqual([]);
    expect(whole.map(({ id }) => id).sort()).toEqual([...acknowledged].sort());
    for (const seen of await Promise.all(following)) expect(seen).toEqual(whole);
    await other.close();
  });

  test('six that follow side by side read each append once, and not six times', async () => {
    const { read, counted } = counting(made.pool);
    const store = made.storeOn(counted);
    const writing = startWriters([made.store], random);
    let head = Infinity as Position;
    const following = Array.from({ length: readers }, () => follow(store, () => head, 1));
    await sleep(1000);
    await writing.stop();
    head = await store.head();
    await Promise.all(following);
    expect(read.length).toBeGreaterThan(100);
    // Who was held up for a second reads for itself.
    expect(read.length / new Set(read).size).toBeLessThan(readers / 2);
    await store.close();
  });

  test('an erased stream is given to nobody, also by a read that was under way', async () => {
    const { store } = made;
    const [erased, kept] = [newStream(), newStream()];
    for (const stream of [erased, kept]) await store.append(numbered(stream, 0, 3));
    expect(await readToHead(store)).toHaveLength(6);
    const underWay = store.readAll(beginning, 10);
    await store.eraseStream(erased);
    await underWay;
    expect((await store.readAll(beginning, 10)).events.map(({ stream }) => stream)).toEqual([kept, kept, kept]);
  });

  test('what another process erased, and what has lost its key, is given for a second at most', async () => {
    const { store, another, newConnection, destroyDataKey } = made;
    const other = another();
    const connection = await newConnection();
    const erased = newStream();
    await store.append(numbered(erased, 0, 3));
    await store.append(numbered(newStream(), 0, 2, connection));
    expect(await readToHead(store)).toHaveLength(5);
    await other.eraseStream(erased);
    await destroyDataKey(connection);
    await sleep(1050);
    expect(await store.readAll(beginning, 10)).toEqual({ events: [], position: 5 });
    await other.close();
  });
});
