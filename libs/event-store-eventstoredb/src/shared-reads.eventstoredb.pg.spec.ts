import { beginning, type EventStore, type Position } from '@causeway/event-sourcing';
import { newStream, numbered, orderFaults, readToHead } from '@causeway/event-sourcing/testing';
import { EventStoreDBClient, type ResolvedEvent } from '@eventstore/db-client';
import type { Readable } from 'node:stream';
import { describeWithEventStoreDb, eventStoreDbUnderTest, type EventStoreDbUnderTest } from './testing/store.ts';

const readers = 6;
const ways = ['readStream', 'readAll', 'subscribeToAll'] as const;
type Ways = Record<(typeof ways)[number], (...args: unknown[]) => Readable>;

/** Notes the stream of each event that the client makes an object of, by whichever way it came. */
const noteReads = () => {
  const client = EventStoreDBClient.prototype as unknown as Ways;
  const before: Ways = {
    readStream: client.readStream,
    readAll: client.readAll,
    subscribeToAll: client.subscribeToAll,
  };
  const noted: string[] = [];
  for (const way of ways) {
    client[way] = function (this: unknown, ...args) {
      const stream = before[way].apply(this, args);
      const push = stream.push.bind(stream);
      stream.push = (resolved: ResolvedEvent | null) => {
        if (resolved?.event !== undefined) noted.push(resolved.event.streamId);
        return push(resolved);
      };
      return stream;
    };
  }
  return { noted, restore: () => Object.assign(client, before) };
};

describeWithEventStoreDb('what one has read is given to the others', () => {
  let made: EventStoreDbUnderTest;
  let noting: ReturnType<typeof noteReads>;
  beforeEach(async () => {
    made = await eventStoreDbUnderTest();
    noting = noteReads();
  });
  afterEach(async () => {
    noting.restore();
    await made.close();
  });

  const follow = async (store: EventStore, until: Position, limit: number): Promise<number> => {
    let seen = 0;
    for (let position = beginning; position < until;) {
      const batch = await store.readAll(position, limit);
      seen += batch.events.length;
      if (batch.position === position) await store.changed(position, AbortSignal.timeout(1000));
      position = batch.position;
    }
    return seen;
  };

  test('of six that follow, each event is read twice: once to give it its place', async () => {
    const { store } = made;
    const streams = Array.from({ length: 60 }, newStream);
    const each = 50;
    const until = (streams.length * each) as Position;
    const following = Array.from({ length: readers }, (_, n) => follow(store, until, 100 + n * 50));
    for (const stream of streams) await store.append(numbered(stream, 0, each));
    expect(await Promise.all(following)).toEqual(Array(readers).fill(until));
    // Others' events are there, too.
    const own = noting.noted.filter((name) => streams.some((stream) => name.endsWith(`.${stream}`)));
    expect(own.length / until).toBeGreaterThan(1);
    expect(own.length / until).toBeLessThanOrEqual(2);
    expect(orderFaults(await readToHead(store))).toEqual([]);
  });
});
