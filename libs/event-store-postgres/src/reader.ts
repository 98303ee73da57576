import type { DataKeys } from '@causeway/data-keys';
import {
  appendEventsMax,
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
import { appendColumns, eventsOf, type AppendRow } from './rows.ts';

/** Events read by one query when a whole stream is asked for. */
const streamPageEvents = 5000;

type PlacedRow = Readonly<{ last_position: Position; event_count: number; recorded_at: number }> &
  (AppendRow | { payload: null });

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

const readStreamSql = (schema: string): string => `
SELECT a.stream, a.last_revision, ${appendColumns}
  FROM ${schema}.append a
 WHERE a.stream = $1 AND a.last_revision > $2 AND a.last_revision <= $2 + $3::int + ${appendEventsMax}
   AND a.last_revision - a.event_count < $2 + $3::int
 ORDER BY a.last_revision`;

export const reader = (
  query: Query,
  schema: string,
  dataKeys: DataKeys,
): Pick<EventStore, 'readStream' | 'readAll'> => {
  const readStream: EventStore['readStream'] = async <E extends Event>(
    stream: StreamName,
    { after = -1 as Revision, limit = Infinity }: Readonly<{ after?: Revision; limit?: number }> = {},
  ): Promise<readonly Recorded<E>[]> => {
    const found: Recorded<E>[] = [];
    const end = after + limit;
    for (let last: number = after; last < end;) {
      const wanted = Math.min(streamPageEvents, end - last);
      const rows = await query<AppendRow>('read_stream', readStreamSql(schema), [stream, last, wanted]);
      for (const row of rows) {
        for (const event of await eventsOf<E>(row, dataKeys)) if (event.revision > after) found.push(event);
      }
      const reached = rows.at(-1)?.last_revision ?? last;
      if (reached < last + wanted) break;
      last = reached;
    }
    return found;
  };

  const readAll = async (after: Position, limit: number, except?: string): Promise<Batch> => {
    const rows = await query<PlacedRow>('read_all', readAllSql(schema), [after, limit, except]);
    const events: Sequenced[] = [];
    for (const row of rows) {
      if (row.payload === null) continue;
      const first = row.last_position - row.event_count + 1;
      const base = row.last_revision - row.event_count + 1;
      for (const event of await eventsOf(row, dataKeys)) {
        const place = event.revision - base;
        const position = (first + place) as Position;
        if (position > after) events.push({ ...event, position, recordedAt: (row.recorded_at + place) as RecordedAt });
      }
    }
    return { events, position: rows.at(-1)?.last_position ?? after };
  };

  return { readStream, readAll };
};
