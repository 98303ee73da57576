import { setTimeout as sleep } from 'node:timers/promises';
import type { Batch, EventStore } from './event-store.ts';
import { categoryOf, type Position, type Sequenced, type StreamName } from './event.ts';
import { sharedReads } from './shared-reads.ts';

const at = (position: number) => position as Position;
const appended = (stream: StreamName, first: number, count: number, text = ''): Sequenced[] => {
  const metadata = {};
  return Array.from(
    { length: count },
    (_, i) => ({ stream, position: first + i, metadata, data: { text } }) as Sequenced,
  );
};

/** A store of these events, or of more by and by, that notes each read: after, limit and what is left out. */
const noted = (events: Sequenced[], head = () => events.at(-1)?.position ?? at(0)) => {
  const reads: string[] = [];
  const readAll = async (after: Position, limit: number, except?: string): Promise<Batch> => {
    reads.push([after, limit, except].filter((each) => each !== undefined).join(' '));
    const position = at(Math.max(after, Math.min(head(), after + limit)));
    await sleep(1);
    const isGiven = (event: Sequenced) => event.position > after && event.position <= position;
    return { events: events.filter((event) => isGiven(event) && categoryOf(event.stream) !== except), position };
  };
  return { reads, store: sharedReads({ readAll, head: async () => head() } as EventStore) };
};
const positions = ({ events, position }: Batch) => [...events.map((event) => event.position), `to ${position}`];

test('who asks at once, or a little later, is given what one has read', async () => {
  const { reads, store } = noted(appended('a-1', 1, 10));
  const [one, other] = await Promise.all([store.readAll(at(0), 50), store.readAll(at(0), 50)]);
  expect(other).toEqual(one);
  expect(positions(await store.readAll(at(7), 50))).toEqual([8, 9, 10, 'to 10']);
  expect(reads).toEqual(['0 50']);
});

test('what several have read one after the other is given as one batch, cut as the store would', async () => {
  const [first, second, last] = [appended('a-1', 1, 4), appended('a-2', 5, 4), appended('a-3', 12, 2)];
  const { reads, store } = noted([...first, ...second, ...last]);
  for (const after of [0, 4, 8]) await store.readAll(at(after), 4);
  await store.readAll(at(12), 4);
  reads.length = 0;
  expect(positions(await store.readAll(at(0), 6))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 'to 11']);
  expect(positions(await store.readAll(at(2), 1))).toEqual([3, 4, 'to 4']);
  expect(positions(await store.readAll(at(8), 2))).toEqual(['to 11']);
  expect(positions(await store.readAll(at(0), 50))).toHaveLength(11);
  expect(reads).toEqual([]);
});

test('where there is more than was read for one, another reads on as far as it wants', async () => {
  const { reads, store } = noted(
    appended('a-1', 1, 100).map((event) => ({ ...event, metadata: { ...event.metadata } })),
  );
  await store.readAll(at(0), 10);
  expect((await store.readAll(at(0), 50)).events).toHaveLength(50);
  expect((await store.readAll(at(30), 30)).events).toHaveLength(30);
  expect(reads).toEqual(['0 10', '10 50']);
});

test('the end is looked at anew; of those who wait there, one looks for all', async () => {
  const { reads, store } = noted(appended('a-1', 1, 10));
  await Promise.all(Array.from({ length: 6 }, () => store.readAll(at(10), 5)));
  await store.readAll(at(10), 5);
  expect(reads).toEqual(['10 5', '10 5', '10 5']);
});

test('a read that began before something was appended does not hide it from who asks after', async () => {
  let head = at(10);
  const { store } = noted(appended('a-1', 1, 11), () => head);
  const before = store.readAll(at(10), 5);
  head = at(11);
  expect((await store.readAll(at(10), 5)).events).toHaveLength(1);
  expect((await before).events).toHaveLength(0);
});

test('what the head was said to be is not left out, though less is kept', async () => {
  let head = at(10);
  const { reads, store } = noted(appended('a-1', 1, 11), () => head);
  await store.readAll(at(0), 50);
  head = at(11);
  expect((await store.readAll(at(0), 50)).events).toHaveLength(10);
  expect(await store.head()).toBe(11);
  expect((await store.readAll(at(0), 50)).events).toHaveLength(11);
  expect(reads).toEqual(['0 50', '10 50']);
});

test('a store that does not hold what its head was said to be gives what it holds', async () => {
  const readAll = async (after: Position): Promise<Batch> => {
    return { events: appended('a-1', after + 1, 10 - after), position: at(10) };
  };
  const store = sharedReads({ readAll, head: async () => at(11) } as unknown as EventStore);
  await store.readAll(at(0), 50);
  await store.head();
  expect((await store.readAll(at(4), 50)).events).toHaveLength(6);
  expect(await store.readAll(at(10), 50)).toEqual({ events: [], position: 10 });
});

test('who is behind what is kept reads for itself, and pushes nothing out', async () => {
  const { reads, store } = noted(appended('a-1', 1, 100));
  await store.readAll(at(90), 50);
  expect((await store.readAll(at(20), 50)).events).toHaveLength(50);
  await store.readAll(at(90), 50);
  expect(reads).toEqual(['90 50', '20 50']);
});

test('who is ahead of it begins anew: nothing between is taken for empty', async () => {
  const { store } = noted(appended('a-1', 1, 100));
  await store.readAll(at(0), 10);
  await store.readAll(at(50), 10);
  expect(positions(await store.readAll(at(5), 10))).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 'to 15']);
});

test('a category that is left out is taken out of what was read whole; else it is not read', async () => {
  const { reads, store } = noted([...appended('a-1', 1, 2), ...appended('b-1', 3, 2), ...appended('a-2', 5, 1)]);
  expect(positions(await store.readAll(at(0), 50, 'a'))).toEqual([3, 4, 'to 5']);
  expect(positions(await store.readAll(at(0), 50))).toHaveLength(6);
  expect(positions(await store.readAll(at(0), 50, 'b'))).toEqual([1, 2, 5, 'to 5']);
  expect(reads).toEqual(['0 50 a', '0 50']);
});

test('what was read is kept for a moment, and no more of it than fits', async () => {
  const { reads, store } = noted(appended('a-1', 1, 20, 'x'.repeat(512 * 1024)));
  for (const after of [0, 4, 8, 12]) await store.readAll(at(after), 4);
  await store.readAll(at(8), 4);
  await store.readAll(at(0), 4);
  expect(reads.slice(4)).toEqual(['0 4']);
  await sleep(1100);
  await store.readAll(at(8), 4);
  expect(reads.slice(5)).toEqual(['8 4']);
});

test('a read that failed fails for those who shared it, and is not kept', async () => {
  let failures = 1;
  const readAll = async (): Promise<Batch> => {
    if (failures-- > 0) throw new Error('away');
    return { events: [], position: at(1) };
  };
  const store = sharedReads({ readAll } as unknown as EventStore);
  const both = await Promise.allSettled([store.readAll(at(0), 5), store.readAll(at(0), 5)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await store.readAll(at(0), 5)).toEqual({ events: [], position: at(1) });
});
