import type { DataKeys } from '@causeway/data-keys';
import {
  appendEventsMax,
  categoryOf,
  type Batch,
  type Event,
  type EventStore,
  type Position,
  type Recorded,
  type RecordedAt,
  type Revision,
  type Sequenced,
  type StreamName,
} from '@causeway/event-sourcing';
import type { RecordedEvent } from '@eventstore/db-client';
import { fromServer, fromServerOrNot, placeOf } from './held.ts';
import type { Order, PlacedRow } from './order.ts';
import type { Server } from './server.ts';

/** Events of a stream asked for at once: reads are capped, or a long stream fills the memory. */
const pageEvents = 1000;
/** Streams read at once for a batch. */
const readsMax = 16;

type Source = Readonly<{ server: Server; order: Order; prefix: string; dataKeys: DataKeys }>;

/** The appends that stand in a list, each whole. */
const appendsIn = (events: readonly RecordedEvent[]): readonly RecordedEvent[][] => {
  const appends: RecordedEvent[][] = [];
  for (let i = 0; i < events.length;) {
    const { count } = placeOf(events[i] as RecordedEvent);
    appends.push(events.slice(i, i + count));
    i += count;
  }
  return appends;
};

/** About `limit` events from a revision on, with the rest of the appends that these begin and end in. */
const wholeAppends = async (
  { server, prefix }: Source,
  stream: StreamName,
  from: number,
  limit: number,
): Promise<readonly RecordedEvent[] | 'erased'> => {
  const page = async (first: number, count: number): Promise<readonly RecordedEvent[] | 'erased'> =>
    count > 0 ? server.readStream(prefix + stream, first, count) : [];
  const found = await page(from, limit);
  if (found === 'erased') return found;
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return found;
  const { index: begun } = placeOf(first);
  const { index, count } = placeOf(last);
  const beginning = await page(from - begun, begun);
  const end = await page(Number(last.revision) + 1, count - 1 - index);
  return beginning === 'erased' || end === 'erased' ? 'erased' : [...beginning, ...found, ...end];
};

const readStreamIn =
  (source: Source): EventStore['readStream'] =>
  async <E extends Event>(
    stream: StreamName,
    { after = -1 as Revision, limit = Infinity }: Readonly<{ after?: Revision; limit?: number }> = {},
  ): Promise<readonly Recorded<E>[]> => {
    const found: Recorded[] = [];
    const end = after + limit;
    for (let last: number = after; last < end;) {
      const wanted = Math.min(pageEvents, end - last);
      const events = await wholeAppends(source, stream, last + 1, wanted);
      if (events === 'erased') return [];
      for (const append of appendsIn(events)) {
        for (const event of await fromServer(stream, append, source.dataKeys)) {
          if (event.revision > after) found.push(event);
        }
      }
      const reached = Number(events.at(-1)?.revision ?? last);
      if (reached < last + wanted) break;
      last = reached;
    }
    return found as Recorded<E>[];
  };

/** Runs `work` for each, some at a time. */
const forEachOf = async <T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> => {
  const left = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: readsMax }, worker));
};

/** The events of one stream that a stretch of the order names, by append; an erased stream holds none. */
const contentOf = async (
  { server, prefix, dataKeys }: Source,
  stream: StreamName,
  rows: readonly PlacedRow[],
): Promise<ReadonlyMap<number, readonly Recorded[]>> => {
  const content = new Map<number, readonly Recorded[]>();
  const [first, last] = [rows[0] as PlacedRow, rows.at(-1) as PlacedRow];
  let from = first.last_revision - first.event_count + 1;
  while (from <= last.last_revision) {
    const rest = Math.min(last.last_revision - from + 1, pageEvents + appendEventsMax);
    const events = await server.readStream(prefix + stream, from, rest);
    if (events === 'erased') return new Map();
    for (const append of appendsIn(events)) {
      const { revision } = append.at(-1) as RecordedEvent;
      if (append.length < placeOf(append[0] as RecordedEvent).count) continue;
      content.set(Number(revision), await fromServerOrNot(stream, append, dataKeys));
      from = Number(revision) + 1;
    }
    if (events.length < rest) break;
  }
  const lost = rows.find(({ last_revision }) => !content.has(last_revision));
  if (lost !== undefined)
    throw new Error(`${stream}@${lost.last_revision} has a place, and the server does not hold it`);
  return content;
};

/**
 * What stands in a stretch of the order, each stream that it names read once. By the server's own order others' events
 * would be read as well, and deleted ones up to the next scavenge.
 */
const eventsOf = async (source: Source, rows: readonly PlacedRow[], after: Position): Promise<readonly Sequenced[]> => {
  const byStream = new Map<StreamName, PlacedRow[]>();
  for (const row of rows) {
    const known = byStream.get(row.stream);
    if (known === undefined) byStream.set(row.stream, [row]);
    else known.push(row);
  }
  const contents = new Map<StreamName, ReadonlyMap<number, readonly Recorded[]>>();
  await forEachOf(byStream, async ([stream, named]) => {
    contents.set(stream, await contentOf(source, stream, named));
  });
  const events: Sequenced[] = [];
  for (const { stream, last_position, last_revision, recorded_at } of rows) {
    const content = contents.get(stream)?.get(last_revision) ?? [];
    const firstPosition = last_position - content.length + 1;
    content.forEach((event, i) => {
      const position = (firstPosition + i) as Position;
      if (position > after) events.push({ ...event, position, recordedAt: (recorded_at + i) as RecordedAt });
    });
  }
  return events;
};

const readAllIn =
  (source: Source): EventStore['readAll'] =>
  async (after: Position, limit: number, except?: string): Promise<Batch> => {
    const rows = await source.order.rows(after, limit);
    const wanted = rows.filter(({ stream }) => categoryOf(stream) !== except);
    return { events: await eventsOf(source, wanted, after), position: rows.at(-1)?.last_position ?? after };
  };

const readStreamsIn =
  (source: Source): EventStore['readStreams'] =>
  async (streams, after, limit) => {
    const { rows, position } = await source.order.rowsOf(streams, after, limit);
    return { events: await eventsOf(source, rows, after), position };
  };

export const reader = (source: Source): Pick<EventStore, 'readStream' | 'readAll' | 'readStreams'> => ({
  readStream: readStreamIn(source),
  readAll: readAllIn(source),
  readStreams: readStreamsIn(source),
});
