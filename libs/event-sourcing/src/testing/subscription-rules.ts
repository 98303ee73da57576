import { beginning, type Position, type Sequenced, type StreamName } from '../event.ts';
import { newStream, numbered, orderFaults, readToHead, type StoreUnderTest } from './store-under-test.ts';

const never = new AbortController().signal;
/** What would hang ends by then, even on a busy machine. */
const endedMs = 15_000;
/** Well before a store looks for itself, which it does every two seconds. */
const toldMs = 1500;

const elapsedMs = async (work: Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work;
  return performance.now() - begun;
};

export const subscriptionRules = (subject: () => StoreUnderTest): void => {
  headRules(subject);
  batchRules(subject);
  changedRules(subject);
};

const headRules = (subject: () => StoreUnderTest): void => {
  test('an empty store has its head at the beginning and nothing to read', async () => {
    const { store } = subject();
    expect(await store.head()).toBe(beginning);
    expect(await store.readAll(beginning, 10)).toEqual({ events: [], position: beginning });
  });

  test('the head is at or after every append acknowledged before, by whichever process', async () => {
    const { store, another } = subject();
    const other = another();
    for (let n = 1; n <= 20; n++) {
      await (n % 2 === 0 ? store : other).append(numbered(newStream(), 0));
      expect(await (n % 3 === 0 ? store : other).head()).toBe(n);
    }
    await other.close();
  });

  test('a position and a time are given once: whoever reads, and however often, sees the same', async () => {
    const { store, another } = subject();
    for (let n = 0; n < 5; n++) await store.append(numbered(newStream(), 0, 3));
    const once = await readToHead(store);
    const other = another();
    expect(await readToHead(other)).toEqual(once);
    expect(orderFaults(once)).toEqual([]);
    await other.close();
  });

  test('recordedAt is the time of the append, in microseconds', async () => {
    const { store } = subject();
    const before = Date.now();
    await store.append(numbered(newStream(), 0));
    const [event] = await readToHead(store);
    const recordedAtMs = Number(event?.recordedAt) / 1000;
    expect(recordedAtMs).toBeGreaterThan(before - 1000);
    expect(recordedAtMs).toBeLessThan(Date.now() + 1000);
  });
};

const batchRules = (subject: () => StoreUnderTest): void => {
  test('a batch holds about as many events as asked for, in whole appends, and at least one', async () => {
    const { store } = subject();
    for (let n = 0; n < 10; n++) await store.append(numbered(newStream(), 0, 4));
    await store.head();
    const sizes = await Promise.all([1, 4, 6, 1000].map(async (limit) => store.readAll(beginning, limit)));
    expect(sizes.map(({ events }) => events.length)).toEqual([4, 4, 8, 40]);
    expect(sizes.map(({ position }) => position)).toEqual([4, 4, 8, 40]);
  });

  test('a batch after a place inside an append begins with the next event', async () => {
    const { store } = subject();
    await store.append(numbered(newStream(), 0, 5));
    await store.head();
    const { events } = await store.readAll(3 as Position, 1);
    expect(events.map(({ position }) => position)).toEqual([4, 5]);
  });

  test('batches of any size, put together, are the whole order', async () => {
    const { store } = subject();
    for (let n = 0; n < 30; n++) await store.append(numbered(newStream(), 0, 1 + (n % 7)));
    const whole = await readToHead(store, beginning, 1000);
    for (const limit of [1, 2, 5, 11]) expect(await readToHead(store, beginning, limit)).toEqual(whole);
    expect(orderFaults(whole)).toEqual([]);
  });

  test('a category that is left out is passed over, and the position moves past it', async () => {
    const { store } = subject();
    for (const stream of ['large-1', 'largest-1', 'large-2'] as const) await store.append(numbered(stream, 0, 2));
    await store.head();
    const { events, position } = await store.readAll(beginning, 100, 'large');
    expect(events.map(({ stream }) => stream)).toEqual(['largest-1', 'largest-1']);
    expect(position).toBe(6);
  });

  test('a category that is left out is passed over, and the position moves past it', async () => {
    const { store } = subject();
    const streams = ['thing-1', 'bulk-1', 'bulky-1', 'bulk-2'] as const;
    for (const stream of streams) await store.append(numbered(stream, 0, 2));
    await store.head();
    const { events, position } = await store.readAll(beginning, 100, 'bulk');
    expect(events.map((event) => `${event.stream} ${event.position}`)).toEqual([
      'thing-1 1',
      'thing-1 2',
      'bulky-1 5',
      'bulky-1 6',
    ]);
    expect(position).toBe(8);
  });

  test.each([1, 5, 1000])('the events of some streams are those of the whole order, %i at a time', async (limit) => {
    const { store } = subject();
    const streams = [newStream(), newStream(), newStream()];
    for (let n = 0; n < 12; n++) await store.append(numbered(streams[n % 3] as StreamName, Math.floor(n / 3) * 2, 2));
    const head = await store.head();
    const [first, , last] = streams as [StreamName, StreamName, StreamName];
    const found: Sequenced[] = [];
    for (let position = beginning; position < head;) {
      const batch = await store.readStreams([first, last], position, limit);
      expect(batch.position).toBeGreaterThan(position);
      found.push(...batch.events);
      position = batch.position;
    }
    const whole = await readToHead(store);
    expect(found).toEqual(whole.filter(({ stream }) => stream === first || stream === last));
    expect(await store.readStreams(streams, head, limit)).toEqual({ events: [], position: head });
  });

  test('a place inside an append is gone on from, whichever streams are asked for', async () => {
    const { store } = subject();
    const stream = newStream();
    await store.append(numbered(stream, 0, 5));
    await store.head();
    const { events, position } = await store.readStreams([stream], 3 as Position, 10);
    expect([events.map((event) => event.position), position]).toEqual([[4, 5], 5]);
  });

  test('after the head there is nothing, and the position stays', async () => {
    const { store } = subject();
    await store.append(numbered(newStream(), 0));
    const head = await store.head();
    expect(await store.readAll(head, 10)).toEqual({ events: [], position: head });
  });
};

const changedRules = (subject: () => StoreUnderTest): void => {
  test.each(['this process', 'another process'])('who waits is woken by an append of %s', async (who) => {
    const { store, another } = subject();
    const other = another();
    await store.head();
    await store.changed(beginning, AbortSignal.timeout(300));
    const tookMs: number[] = [];
    for (let position = beginning; position < 5;) {
      const waited = elapsedMs(store.changed(position, never));
      await (who === 'this process' ? store : other).append(numbered(newStream(), 0));
      tookMs.push(await waited);
      const batch = await store.readAll(position, 10);
      expect(batch.events).toHaveLength(1);
      position = batch.position;
    }
    expect(Math.min(...tookMs)).toBeLessThan(toldMs);
    await other.close();
  });

  test('who waits for what is there already does not wait', async () => {
    const { store } = subject();
    await store.append(numbered(newStream(), 0));
    await store.head();
    expect(await elapsedMs(store.changed(beginning, never))).toBeLessThan(toldMs);
  });

  test('waiting ends with the signal, and with the store', async () => {
    const { store, another } = subject();
    const controller = new AbortController();
    const aborted = elapsedMs(store.changed(beginning, controller.signal));
    controller.abort();
    expect(await aborted).toBeLessThan(endedMs);
    expect(await elapsedMs(store.changed(beginning, controller.signal))).toBeLessThan(endedMs);

    const other = another();
    const closed = elapsedMs(other.changed(beginning, never));
    await other.close();
    expect(await closed).toBeLessThan(endedMs);
  });
};
