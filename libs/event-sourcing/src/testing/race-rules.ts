import type { EventStore } from '../event-store.ts';
import { beginning, type Sequenced, type StreamName } from '../event.ts';
import { newStream, numbered, orderFaults, readToHead, type StoreUnderTest } from './store-under-test.ts';

const writers = 8;

/** Appends to any of the streams until each writer has stored its share; how many events of each stream were stored. */
const writeAll = async (
  stores: readonly EventStore[],
  streams: readonly StreamName[],
  appendsEach: number,
): Promise<Map<StreamName, number>> => {
  const stored = new Map<StreamName, number>();
  const write = async (writer: number): Promise<void> => {
    const store = stores[writer % stores.length] as EventStore;
    for (let done = 0; done < appendsEach;) {
      const stream = streams[(writer + done * 3) % streams.length] as StreamName;
      const at = (await store.readStream(stream)).length;
      const count = 1 + ((writer + done) % 4);
      if ((await store.append(numbered(stream, at, count))) === 'conflict') continue;
      stored.set(stream, (stored.get(stream) ?? 0) + count);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return stored;
};

/** Follows the store as a subscription does, to the end of the work. What it was given, in the order given. */
const follow = async (store: EventStore, work: Promise<unknown>, limit: number): Promise<Sequenced[]> => {
  const seen: Sequenced[] = [];
  const controller = new AbortController();
  void work.finally(() => controller.abort());
  let position = beginning;
  while (!controller.signal.aborted || position < (await store.head())) {
    const batch = await store.readAll(position, limit);
    seen.push(...batch.events);
    if (batch.position === position) await store.changed(position, controller.signal);
    position = batch.position;
  }
  return seen;
};

export const raceRules = (subject: () => StoreUnderTest): void => {
  test('of 50 writers on one stream exactly one wins each round', async () => {
    const { store, another } = subject();
    const other = another();
    const stream = newStream();
    for (let round = 0; round < 5; round++) {
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? store : other).append(numbered(stream, round))),
      );
      expect(outcomes.filter((outcome) => outcome === 'appended')).toHaveLength(1);
    }
    expect(await store.readStream(stream)).toHaveLength(5);
    await other.close();
  });

  test('appends of different length at the same place: one is stored, whole', async () => {
    const { store, another } = subject();
    const other = another();
    const stream = newStream();
    const appends = Array.from({ length: 20 }, (_, n) => numbered(stream, 0, 1 + (n % 5)));
    const outcomes = await Promise.all(appends.map((append, n) => (n % 2 === 0 ? store : other).append(append)));
    const winner = appends[outcomes.indexOf('appended')];
    expect(outcomes.filter((outcome) => outcome === 'appended')).toHaveLength(1);
    expect((await store.readStream(stream)).map(({ id }) => id)).toEqual(winner?.events.map(({ id }) => id));
    await other.close();
  });

  test.each([1, 7, 500])(
    'a subscription in batches of %d sees each event of 8 writers once, in one order, and nothing behind it',
    async (limit) => {
      const { store, another } = subject();
      const others = [another(), another()];
      const streams = Array.from({ length: 5 }, newStream);
      const work = writeAll([store, ...others], streams, 20);
      const followed = await Promise.all([store, ...others].map((each) => follow(each, work, limit)));
      const stored = await work;

      const whole = await readToHead(store);
      expect(orderFaults(whole)).toEqual([]);
      expect(whole).toHaveLength([...stored.values()].reduce((sum, count) => sum + count, 0));
      for (const stream of streams) {
        const events = await store.readStream(stream);
        expect(events).toHaveLength(stored.get(stream) ?? 0);
        expect(whole.filter((event) => event.stream === stream).map(({ id }) => id)).toEqual(
          events.map(({ id }) => id),
        );
      }
      for (const seen of followed) expect(seen).toEqual(whole);
      await Promise.all(others.map((other) => other.close()));
    },
  );
};
