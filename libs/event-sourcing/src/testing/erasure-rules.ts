import { StreamErased } from '../event-store.ts';
import { beginning } from '../event.ts';
import { newStream, numbered, readToHead, type StoreUnderTest } from './store-under-test.ts';

export const erasureRules = (subject: () => StoreUnderTest): void => {
  streamErasureRules(subject);
  keyRules(subject);
};

const streamErasureRules = (subject: () => StoreUnderTest): void => {
  test('an erased stream is empty, and its positions hold nothing', async () => {
    const { store } = subject();
    const [kept, erased] = [newStream(), newStream()];
    await store.append(numbered(kept, 0, 2));
    await store.append(numbered(erased, 0, 3));
    await store.append(numbered(kept, 2, 2));
    const before = await readToHead(store);
    await store.eraseStream(erased);
    expect(await store.readStream(erased)).toEqual([]);
    expect(await readToHead(store)).toEqual(before.filter(({ stream }) => stream === kept));
    expect(await store.head()).toBe(7);
  });

  test('a batch that finds only erased events still moves on', async () => {
    const { store } = subject();
    const erased = newStream();
    await store.append(numbered(erased, 0, 3));
    await store.eraseStream(erased);
    await store.head();
    expect(await store.readAll(beginning, 10)).toEqual({ events: [], position: 3 });
  });

  test('an erased stream is never written again: not by a late writer, not anew, not by a repetition', async () => {
    const { store } = subject();
    const stream = newStream();
    const first = numbered(stream, 0);
    await store.append(first);
    await store.eraseStream(stream);
    expect(await store.append(numbered(stream, 1))).toBe('conflict');
    await expect(store.append(numbered(stream, 0))).rejects.toThrow(StreamErased);
    await expect(store.append(first)).rejects.toThrow(StreamErased);
    expect(await store.readStream(stream)).toEqual([]);
  });

  test('erasing again, or what never was, changes nothing', async () => {
    const { store } = subject();
    const stream = newStream();
    await store.append(numbered(newStream(), 0));
    await store.eraseStream(stream);
    await store.eraseStream(stream);
    expect(await readToHead(store)).toHaveLength(1);
  });

  test('an erasure tells how many events the stream held, and the same when it is repeated', async () => {
    const { store } = subject();
    const stream = newStream();
    await store.append(numbered(stream, 0, 3));
    await store.append(numbered(stream, 3, 2));
    expect([await store.eraseStream(stream), await store.eraseStream(stream)]).toEqual([5, 5]);
    expect(await store.eraseStream(stream, { ifWritten: true })).toBe(5);
    expect(await store.eraseStream(newStream())).toBe(0);
  });

  test('a stream that never was is left open where only a written one is to be erased', async () => {
    const { store } = subject();
    const stream = newStream();
    expect(await store.eraseStream(stream, { ifWritten: true })).toBe(0);
    expect(await store.append(numbered(stream, 0, 2))).toBe('appended');
    expect(await store.eraseStream(stream, { ifWritten: true })).toBe(2);
    await expect(store.append(numbered(stream, 0))).rejects.toThrow(StreamErased);
  });

  test('writers that race with an erasure leave nothing behind', async () => {
    const { store, another } = subject();
    const other = another();
    const stream = newStream();
    await Promise.all([store.head(), other.head()]);
    const write = async (): Promise<void> => {
      for (let n = 0; n < 200; n++) {
        const at = (await other.readStream(stream)).length;
        await other.append(numbered(stream, at));
      }
    };
    const writing = write();
    await store.changed(beginning, new AbortController().signal);
    await store.eraseStream(stream);
    await expect(writing).rejects.toThrow(StreamErased);
    expect(await store.readStream(stream)).toEqual([]);
    expect(await readToHead(store)).toEqual([]);
    await other.close();
  });
};

const keyRules = (subject: () => StoreUnderTest): void => {
  test('events whose data key was destroyed are passed over, and the others stay readable', async () => {
    const { store, newConnection, destroyDataKey } = subject();
    const [gone, kept] = [await newConnection(), await newConnection()];
    const stream = newStream();
    await store.append(numbered(stream, 0, 2, gone));
    await store.append(numbered(stream, 2, 2, kept));
    await store.append(numbered(stream, 4, 2));
    await destroyDataKey(gone);
    expect((await store.readStream(stream)).map(({ revision }) => revision)).toEqual([2, 3, 4, 5]);
    await store.head();
    const batch = await store.readAll(beginning, 100);
    expect(batch.events.map(({ position }) => position)).toEqual([3, 4, 5, 6]);
    expect(batch.position).toBe(6);
    expect((await store.readAll(beginning, 1)).position).toBe(2);
  });

  test('nothing is appended under a destroyed key', async () => {
    const { store, newConnection, destroyDataKey } = subject();
    const connection = await newConnection();
    await destroyDataKey(connection);
    const stream = newStream();
    await expect(store.append(numbered(stream, 0, 1, connection))).rejects.toThrow(connection);
    expect(await store.readStream(stream)).toEqual([]);
  });
};
