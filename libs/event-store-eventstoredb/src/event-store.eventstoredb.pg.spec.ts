import type { Append, EventStore } from '@causeway/event-sourcing';
import {
  eventStoreConformance,
  newStream,
  numbered,
  orderFaults,
  readToHead,
  type StoreUnderTest,
} from '@causeway/event-sourcing/testing';
import { withRoom } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { describeWithEventStoreDb, eventStoreDbUnderTest } from './testing/store.ts';

describeWithEventStoreDb('the event store in EventStoreDB', () => {
  eventStoreConformance('is a store', eventStoreDbUnderTest);

  describe('where the server has ways of its own', () => {
    let made: StoreUnderTest;
    let store: EventStore;
    beforeEach(async () => {
      made = await eventStoreDbUnderTest();
      store = made.store;
    });
    afterEach(() => made.close());

    const withData = (append: Append, text: string): Append => ({
      ...append,
      events: append.events.map(({ id, type }) => ({ id, type, data: { text } })),
    });

    test('an append that was stored may be repeated after a restart, behind others, under a key', async () => {
      const stream = newStream();
      const first = numbered(stream, 0, 3, await made.newConnection());
      await store.append(first);
      await store.append(numbered(stream, 3, 2));
      const other = made.another();
      expect(await other.append(first)).toBe('appended');
      expect(await other.append({ ...first, events: first.events.slice(0, 2) })).toBe('conflict');
      expect(await readToHead(other)).toHaveLength(5);
      await other.close();
    });

    test('the largest append there may be fits in what a server takes by default', async () => {
      const stream = newStream();
      const append = withData(numbered(stream, 0, 1000, await made.newConnection()), 'a transaction '.repeat(70));
      expect(await store.append(append)).toBe('appended');
      expect(await store.readStream(stream)).toHaveLength(1000);
    });

    test('more than the server takes of one append is a fault, and stores nothing', async () => {
      const append = withData(numbered(newStream(), 0, 1000), 'x'.repeat(20_000));
      await expect(store.append(append)).rejects.toThrow();
      expect(await store.readStream(append.stream)).toEqual([]);
    });

    test('what is read of a stream is whole also where it takes several reads', async () => {
      const stream = newStream();
      for (const first of [0, 700, 1400, 2100]) await store.append(numbered(stream, first, 700));
      expect((await store.readStream(stream)).map(({ revision }) => revision)).toEqual(
        Array.from({ length: 2800 }, (_, n) => n),
      );
      expect(await readToHead(store)).toHaveLength(2800);
    });

    test('who follows is told of large appends as of small ones, though the server may drop it', async () => {
      const stream = newStream();
      const other = made.another();
      await Promise.all([store.head(), other.head()]);
      for (let n = 0; n < 8; n++) {
        await store.append(numbered(stream, n * 400, 400));
        expect(await other.head()).toBe((n + 1) * 400);
      }
      const begun = performance.now();
      for (let position = await store.head(); position < 3200;) {
        await store.changed(position, new AbortController().signal);
        position = await store.head();
      }
      expect(performance.now() - begun).toBeLessThan(withRoom(2000));
      expect(orderFaults(await readToHead(store))).toEqual([]);
      await other.close();
    });

    test('others’ events between ours take no position', async () => {
      const others = await eventStoreDbUnderTest();
      for (let n = 0; n < 300; n++) await others.store.append(numbered(newStream(), 0));
      await store.append(numbered(newStream(), 0));
      for (let n = 0; n < 300; n++) await others.store.append(numbered(newStream(), 0));
      expect(await store.head()).toBe(1);
      await store.append(numbered(newStream(), 0));
      expect(await store.head()).toBe(2);
      await others.close();
    });

    test('a store that starts behind a stream that was erased at the end misses nothing after it', async () => {
      const erased = newStream();
      await store.append(numbered(erased, 0, 2));
      await store.head();
      await store.eraseStream(erased);
      const other = made.another();
      await other.append({
        ...numbered(newStream(), 0),
        metadata: { ...numbered(erased, 0).metadata, runId: randomUUID() },
      });
      expect(await readToHead(other)).toHaveLength(1);
      expect(await other.head()).toBe(3);
      await other.close();
    });
  });
});
