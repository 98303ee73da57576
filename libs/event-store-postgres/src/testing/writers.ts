import type { EventStore, Position, Sequenced } from '@causeway/event-sourcing';
import { newStream, numbered } from '@causeway/event-sourcing/testing';
import type { Random } from './random.ts';

const writerCount = 8;
const streamCount = 6;

export type Writing = Readonly<{
  /** Ends the writing; the ids of every event whose append was acknowledged. */
  stop(): Promise<ReadonlySet<string>>;
}>;

/** 8 writers that append one to five events at a time to a handful of streams, until they are stopped. */
export const startWriters = (stores: readonly EventStore[], random: Random): Writing => {
  const streams = Array.from({ length: streamCount }, newStream);
  const acknowledged = new Set<string>();
  let stopped = false;
  const write = async (store: EventStore): Promise<void> => {
    while (!stopped) {
      const stream = random.pick(streams);
      const at = (await store.readStream(stream)).length;
      const append = numbered(stream, at, random.below(5) + 1);
      if ((await store.append(append)) === 'appended') for (const { id } of append.events) acknowledged.add(id);
    }
  };
  const writing = Promise.all(
    Array.from({ length: writerCount }, (_, n) => write(stores[n % stores.length] as EventStore)),
  );
  return {
    stop: async () => {
      stopped = true;
      await writing;
      return acknowledged;
    },
  };
};

export type Following = Readonly<{
  /** Reads to the head and ends; all that was given, in the order given. */
  stop(): Promise<readonly Sequenced[]>;
}>;

/** A subscription in batches of random size. */
export const startFollowing = (store: EventStore, after: Position, random: Random): Following => {
  const seen: Sequenced[] = [];
  const controller = new AbortController();
  const read = async (): Promise<void> => {
    let position = after;
    while (!controller.signal.aborted || position < (await store.head())) {
      const batch = await store.readAll(position, random.below(50) + 1);
      seen.push(...batch.events);
      if (batch.position === position) await store.changed(position, controller.signal);
      position = batch.position;
    }
  };
  const reading = read();
  return {
    stop: async () => {
      controller.abort();
      await reading;
      return seen;
    },
  };
};
