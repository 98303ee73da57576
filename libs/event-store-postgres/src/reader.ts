import type { DataKeys } from '@causeway/data-keys';
import {
  appendEventsMax,
  stretchPositions,
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
import type { Query } from './query.ts';
import { appendColumns, opened, openedOrNot, type AppendRow, type Opened } from './rows.ts';

/** Events read by one query when a whole stream is asked for. */
const streamPageEvents = 5000;

type Place = Readonly<{ last_position: Position; event_count: number; recorded_at: number }>;
/** `payload` is null where the stream was erased. */
type PlacedRow = Place & (AppendRow | Readonly<{ payload: null }>);

/** Rows as they were written, by their index and one by one: no statistics can talk the planner into reading it all. */
const readAllSql = (schema: string): string => `
SELECT s.last_position, s.event_count, s.recorded_at, s.stream, s.last_revision, ${appendColumns}
  FROM ${schema}.sequenced s
  LEFT JOIN LATERAL (
    SELECT * FROM ${schema}.append p WHERE p.stream = s.stream AND p.last_revision = s.last_revision
       AND ($3::text IS NULL OR NOT starts_with(p.stream, $3 || '-')) OFFSET 0
  ) a ON true
 WHERE s.last_position > $1 AND s.last_position < $1 + $2::int + ${appendEventsMax}
   AND s.last_position - s.event_count < $1 + $2::int
 ORDER BY s.last_position`;

const stretchSql = (schema: string): string => `
SELECT coalesce(least(max(last_position), $1::bigint + ${stretchPositions}), $1) AS upto FROM ${schema}.sequenced`;

const readStreamsSql = (schema: string): string => `
WITH named AS (
  SELECT *, sum(event_count) OVER (ORDER BY last_position) - event_count AS before FROM (
    SELECT * FROM ${schema}.sequenced
     WHERE last_position > $1 AND last_position <= $2 AND stream = ANY ($3) ORDER BY last_position LIMIT $4) n
)
SELECT s.last_position, s.event_count, s.recorded_at, s.stream, s.last_revision, ${appendColumns}
  FROM named s
  LEFT JOIN LATERAL (
    SELECT * FROM ${schema}.append p WHERE p.stream = s.stream AND p.last_revision = s.last_revision OFFSET 0
  ) a ON true
 WHERE s.before < $4
 ORDER BY s.last_position`;

const readStreamSql = (schema: string): string => `
SELECT a.stream, a.last_revision, a.event_count, ${appendColumns}
  FROM ${schema}.append a
 WHERE a.stream = $1 AND a.last_revision > $2 AND a.last_revision <= $2 + $3::int + ${appendEventsMax}
   AND a.last_revision - a.event_count < $2 + $3::int
 ORDER BY a.last_revision`;

/** An event's fields are written out, not spread: of a million events, that is half the time of reading them. */
const recorded = (
  { stream, metadata }: AppendRow,
  { ids, events, firstRevision }: Opened,
  after: number,
): Recorded[] => {
  const found: Recorded[] = [];
  for (let i = Math.max(0, after + 1 - firstRevision); i < events.length; i++) {
    const { type, data } = events[i] as Event;
    found.push({ id: ids[i] as string, type, data, stream, revision: (firstRevision + i) as Revision, metadata });
  }
  return found;
};

const sequenced = (row: PlacedRow & AppendRow, { ids, events, firstRevision }: Opened, after: number): Sequenced[] => {
  const { stream, metadata, recorded_at } = row;
  const firstPosition = row.last_position - row.event_count + 1;
  const found: Sequenced[] = [];
  for (let i = Math.max(0, after + 1 - firstPosition); i < events.length; i++) {
    const { type, data } = events[i] as Event;
    const revision = (firstRevision + i) as Revision;
    const position = (firstPosition + i) as Position;
    const recordedAt = (recorded_at + i) as RecordedAt;
    found.push({ id: ids[i] as string, type, data, stream, revision, metadata, position, recordedAt });
  }
  return found;
};

const eventsOf = async (rows: readonly PlacedRow[], after: Position, dataKeys: DataKeys): Promise<Sequenced[]> => {
  const held = await Promise.all(
    rows.map(async (row) => (row.payload === null ? [] : sequenced(row, await openedOrNot(row, dataKeys), after))),
  );
  const events: Sequenced[] = [];
  for (const some of held) for (const event of some) events.push(event);
  return events;
};

export const reader = (
  query: Query,
  schema: string,
  dataKeys: DataKeys,
): Pick<EventStore, 'readStream' | 'readAll' | 'readStreams'> => {
  const readStream = async <E extends Event>(
    stream: StreamName,
    { after = -1 as Revision, limit = Infinity }: Readonly<{ after?: Revision; limit?: number }> = {},
  ): Promise<readonly Recorded<E>[]> => {
    const found: Recorded[] = [];
    const end = after + limit;
    for (let last: number = after; last < end;) {
      const wanted = Math.min(streamPageEvents, end - last);
      const rows = await query<AppendRow>('read_stream', readStreamSql(schema), [stream, last, wanted]);
      const held = await Promise.all(rows.map(async (row) => recorded(row, await opened(row, dataKeys), after)));
      for (const events of held) for (const event of events) found.push(event);
      const reached = rows.at(-1)?.last_revision ?? last;
      if (reached < last + wanted) break;
      last = reached;
    }
    return found as Recorded<E>[];
  };

  const readAll = async (after: Position, limit: number, except?: string): Promise<Batch> => {
    const rows = await query<PlacedRow>('read_all', readAllSql(schema), [after, limit, except]);
    return { events: await eventsOf(rows, after, dataKeys), position: rows.at(-1)?.last_position ?? after };
  };

  const readStreams = async (streams: readonly StreamName[], after: Position, limit: number): Promise<Batch> => {
    const [stretch] = await query<{ upto: Position }>('stretch', stretchSql(schema), [after]);
    const upto = stretch?.upto ?? after;
    const rows = await query<PlacedRow>('read_streams', readStreamsSql(schema), [after, upto, streams, limit]);
    const events = await eventsOf(rows, after, dataKeys);
    const isCut = rows.reduce((sum, { event_count }) => sum + event_count, 0) >= limit;
    return { events, position: isCut ? (rows.at(-1)?.last_position ?? upto) : upto };
  };

  return { readStream, readAll, readStreams };
};
