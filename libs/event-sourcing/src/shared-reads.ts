import type { Batch, EventStore } from './event-store.ts';
import { beginning, categoryOf, type Position, type Sequenced } from './event.ts';

/**
 * Long enough for readers that go side by side, some of them slower by a batch or two. For so long may be given here what
 * another process has erased, or whose data key was destroyed: less than a data key that was used stays in memory.
 */
const keptMs = 1000;
/** About so much JSON of all stores of a process, beside what each has read last; in memory two to three times as much. */
const keptBytesMax = 8 * 1024 * 1024;
/** Events of a read that are measured: all of one are alike. */
const measuredMax = 32;

/** What one read found after a position. */
type Stretch = Batch & Readonly<{ after: Position; bytes: number }>;
type Read = (after: Position, limit: number) => Promise<Batch>;

let keptBytes = 0;

const bytesOf = (events: readonly Sequenced[]): number => {
  const step = Math.ceil(events.length / measuredMax);
  let bytes = 0;
  for (let i = 0; i < events.length; i += step) bytes += JSON.stringify(events[i]).length * step;
  return bytes;
};

/** The newest stretches of the order, each from where the one before ends. */
const window = () => {
  const kept: Stretch[] = [];

  const drop = (count = kept.length): void => {
    for (const { bytes } of kept.splice(0, count)) keptBytes -= bytes;
  };

  const keep = (after: Position, batch: Batch): void => {
    if (kept.at(-1)?.position !== after) drop();
    const stretch = { ...batch, after, bytes: bytesOf(batch.events) };
    kept.push(stretch);
    keptBytes += stretch.bytes;
    while (keptBytes > keptBytesMax && kept.length > 1) drop(1);
    setTimeout(() => drop(kept.indexOf(stretch) + 1), keptMs).unref();
  };

  /** As the store would give it, as far as it is kept. The events of one append are those that share their metadata. */
  const given = (after: Position, limit: number): Batch | undefined => {
    const first = kept.findIndex((stretch) => stretch.after <= after && after < stretch.position);
    if (first < 0) return undefined;
    const events: Sequenced[] = [];
    for (const stretch of kept.slice(first)) {
      for (const event of stretch.events) {
        if (event.position <= after) continue;
        const isBeyond = event.position > after + limit && event.metadata !== events.at(-1)?.metadata;
        // What lies between holds nothing.
        if (isBeyond) return { events, position: (event.position - 1) as Position };
        events.push(event);
      }
    }
    return { events, position: (kept.at(-1) as Stretch).position };
  };

  return { keep, given, drop, isBehind: (after: Position): boolean => kept[0] !== undefined && after < kept[0].after };
};

/**
 * Reads of one kind. Who is behind what is kept reads for itself, so that a rebuild pushes nothing out. `head`: how far
 * the store was said to go.
 */
const sharing = (read: Read, head: () => Position) => {
  const { keep, given, drop, isBehind } = window();
  let reading: Readonly<{ from: Position; found: Promise<Position> }> | undefined;
  let isMore = false;

  const extend = async (from: Position, limit: number): Promise<Position> => {
    const batch = await read(from, limit);
    isMore = batch.position - from >= limit;
    if (batch.position > from) keep(from, batch);
    return batch.position;
  };

  /** What is kept, where that fills the batch or reaches the end that the store had. */
  const known = (after: Position, limit: number): Batch | undefined => {
    const batch = given(after, limit);
    const isShort = batch !== undefined && batch.position - after < limit;
    return isShort && (isMore || batch.position < head()) ? undefined : batch;
  };

  const readAll: Read = async (after, limit) => {
    for (let looks = 1; ; looks++) {
      const batch = known(after, limit);
      if (batch !== undefined) return batch;
      if (isBehind(after)) return read(after, limit);
      const isOwn = reading === undefined;
      const from = given(after, limit)?.position ?? after;
      reading ??= { from, found: extend(from, limit).finally(() => (reading = undefined)) };
      const shared = reading;
      const isEnd = (await shared.found) === from && shared.from === from;
      // One that was under way before may have missed what was there when it was joined.
      if (isEnd && (isOwn || looks > 1)) return given(after, limit) ?? { events: [], position: after };
    }
  };

  const forget = async (): Promise<void> => {
    drop();
    await reading?.found.catch(() => undefined);
    drop();
  };
  return { known, readAll, forget };
};

/**
 * The same store, read once by all who follow it in this process: its newest stretch is kept for a moment, and given
 * instead of being fetched, decrypted and parsed again. What the store never gave it does not give.
 */
export const sharedReads = (store: EventStore): EventStore => {
  let told = beginning;
  const head = async (): Promise<Position> => {
    const position = await store.head();
    if (position > told) told = position;
    return position;
  };
  const shared = (except?: string) =>
    sharing(
      (after, limit) => store.readAll(after, limit, except),
      () => told,
    );
  const whole = shared();
  const parts = new Map<string, ReturnType<typeof sharing>>();

  const without = (except: string): ReturnType<typeof sharing> => {
    const part = parts.get(except) ?? shared(except);
    parts.set(except, part);
    return part;
  };

  const readAll: EventStore['readAll'] = async (after, limit, except) => {
    if (except === undefined) return whole.readAll(after, limit);
    const batch = whole.known(after, limit);
    if (batch === undefined) return without(except).readAll(after, limit);
    return { ...batch, events: batch.events.filter(({ stream }) => categoryOf(stream) !== except) };
  };

  const eraseStream: EventStore['eraseStream'] = async (stream, options) => {
    const events = await store.eraseStream(stream, options);
    await Promise.all([whole, ...parts.values()].map(({ forget }) => forget()));
    return events;
  };

  return { ...store, readAll, head, eraseStream };
};
