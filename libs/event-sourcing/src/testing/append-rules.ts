import { randomUUID } from 'node:crypto';
import { appendEventsMax } from '../event-store.ts';
import { beginning, type Revision } from '../event.ts';
import { newStream, numbered, readToHead, type StoreUnderTest } from './store-under-test.ts';

const revision = (n: number): Revision => n as Revision;

export const appendRules = (subject: () => StoreUnderTest): void => {
  expectedRevisionRules(subject);
  repetitionRules(subject);
  contentRules(subject);
};

const expectedRevisionRules = (subject: () => StoreUnderTest): void => {
  test('a stream begins at revision 0 and goes on without gaps', async () => {
    const { store } = subject();
    const stream = newStream();
    expect(await store.append(numbered(stream, 0, 2))).toBe('appended');
    expect(await store.append(numbered(stream, 2, 3))).toBe('appended');
    const found = await store.readStream(stream);
    expect(found.map((event) => event.revision)).toEqual([0, 1, 2, 3, 4]);
    expect(found.map((event) => event.data)).toEqual([0, 1, 2, 3, 4].map((n) => ({ n })));
  });

  test.each([
    ['behind the stream', 1],
    ['inside an append', 2],
    ['ahead of the stream', 5],
    ['at no stream where there is one', 0],
  ])('what is expected %s is a conflict and stores nothing', async (_, first) => {
    const { store } = subject();
    const stream = newStream();
    await store.append(numbered(stream, 0, 1));
    await store.append(numbered(stream, 1, 3));
    const before = await store.readStream(stream);
    expect(await store.append(numbered(stream, first))).toBe('conflict');
    expect(await store.readStream(stream)).toEqual(before);
  });

  test('a revision expected of a stream that does not exist is a conflict', async () => {
    const { store } = subject();
    const stream = newStream();
    expect(await store.append(numbered(stream, 1))).toBe('conflict');
    expect(await store.readStream(stream)).toEqual([]);
  });
};

const repetitionRules = (subject: () => StoreUnderTest): void => {
  test('the same append again, however late, is appended and stores nothing', async () => {
    const { store } = subject();
    const stream = newStream();
    const first = numbered(stream, 0, 2);
    await store.append(first);
    await store.append(numbered(stream, 2));
    expect(await store.append(first)).toBe('appended');
    expect(await store.readStream(stream)).toHaveLength(3);
    expect(await readToHead(store)).toHaveLength(3);
  });

  test.each([
    ['fewer', 1],
    ['more', 3],
  ])('the same ids and %s at the same place are a conflict', async (_, count) => {
    const { store } = subject();
    const stream = newStream();
    const first = numbered(stream, 0, 2);
    await store.append(first);
    const events = [...first.events, { ...first.events[0], id: randomUUID() }].slice(0, count) as typeof first.events;
    expect(await store.append({ ...first, events })).toBe('conflict');
    expect(await store.readStream(stream)).toHaveLength(2);
  });

  test('the same append from many at once is stored once and every one is told so', async () => {
    const { store } = subject();
    const stream = newStream();
    const append = numbered(stream, 0, 2);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.append(append)));
    expect(new Set(outcomes)).toEqual(new Set(['appended']));
    expect(await readToHead(store)).toHaveLength(2);
  });
};

const contentRules = (subject: () => StoreUnderTest): void => {
  test('what comes back is what was given: id, type, data, metadata', async () => {
    const { store, newConnection } = subject();
    const data = { text: 'naïve ¥ \u0000 𝄞 "\\', amount: '-0.10', nested: { list: [1, null, true] }, empty: {} };
    for (const dataKey of [null, await newConnection()]) {
      const append = { ...numbered(newStream(), 0, 1, dataKey), events: [{ id: randomUUID(), type: 'Odd', data }] };
      await store.append(append);
      const expected = { ...append.events[0], stream: append.stream, revision: 0, metadata: append.metadata };
      expect(await store.readStream(append.stream)).toEqual([expected]);
      expect((await readToHead(store)).at(-1)).toEqual({
        ...expected,
        position: expect.any(Number) as number,
        recordedAt: expect.any(Number) as number,
      });
    }
  });

  test.each([1, appendEventsMax])(
    '%d events fit in one append and are neighbours in the total order',
    async (count) => {
      const { store, newConnection } = subject();
      await store.append(numbered(newStream(), 0, count, await newConnection()));
      const found = await readToHead(store);
      expect(found.map(({ position }) => position)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
    },
  );

  test.each([0, appendEventsMax + 1])('an append of %d events is refused as a fault', async (count) => {
    const { store } = subject();
    await expect(store.append(numbered(newStream(), 0, count))).rejects.toThrow(RangeError);
    expect(await store.head()).toBe(beginning);
  });

  test('an append under a key that was never made fails, and stores nothing', async () => {
    const { store } = subject();
    const stream = newStream();
    await expect(store.append(numbered(stream, 0, 1, randomUUID()))).rejects.toThrow('no data key');
    expect(await store.readStream(stream)).toEqual([]);
  });

  test('a bad append among good ones fails alone', async () => {
    const { store } = subject();
    const good = Array.from({ length: 20 }, () => numbered(newStream(), 0));
    const bad = { ...numbered(newStream(), 0), events: [{ id: 'not a uuid', type: 'Counted', data: {} }] };
    const outcomes = await Promise.allSettled(
      [...good, bad, ...good.map(({ stream }) => numbered(stream, 1))].map((append) => store.append(append)),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(outcomes[good.length]?.status).toBe('rejected');
  });

  test('a page of a stream starts after a revision and ends with a whole append', async () => {
    const { store } = subject();
    const stream = newStream();
    for (const first of [0, 3, 6]) await store.append(numbered(stream, first, 3));
    const revisions = async (options: { after?: Revision; limit?: number }): Promise<number[]> =>
      (await store.readStream(stream, options)).map((event) => event.revision);
    expect(await revisions({ after: revision(3) })).toEqual([4, 5, 6, 7, 8]);
    expect(await revisions({ limit: 1 })).toEqual([0, 1, 2]);
    expect(await revisions({ after: revision(2), limit: 4 })).toEqual([3, 4, 5, 6, 7, 8]);
    expect(await revisions({ after: revision(4), limit: 1 })).toEqual([5]);
    expect(await revisions({ after: revision(8) })).toEqual([]);
  });
};
