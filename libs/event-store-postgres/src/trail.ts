import type { DataKeys } from '@causeway/data-keys';
import type { Metadata, StreamName } from '@causeway/event-sourcing';
import { inTransaction, type Pool, type PoolClient } from '@causeway/postgres';
import { appendColumns, openedOrNot, type AppendRow } from './rows.ts';

/** What a trace shows of an append. `at`: when it was stored, UTC. */
export type TracedAppend = Readonly<{
  stream: StreamName;
  at: string;
  metadata: Metadata;
  events: readonly Readonly<{ id: string; type: string; data: object }>[];
}>;

export type TrailOptions = Readonly<{ pool: Pool; schema: string; dataKeys: DataKeys }>;

/** Of one request. A first sync of a million rows makes some thousand. */
export const tracedAppendsMax = 2000;
/** What a bank sent is kept by the megabyte. Larger appends of these streams are not read: all of them hold the same. */
const received = { category: 'sync', type: 'StatementReceived', readMaxBytes: 64 * 1024 };

type Row = AppendRow & Readonly<{ at: string }>;

/** Statistics do not tell that a correlation id is rare: left alone, the planner reads the whole table. */
const byIndex = <T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> =>
  inTransaction(pool, async (tx) => {
    await tx.query('SET LOCAL enable_seqscan = off');
    return work(tx);
  });

const columns = appendColumns.replace(
  'a.payload',
  `CASE WHEN starts_with(a.stream, '${received.category}-') AND length(a.payload) > ${received.readMaxBytes}
    THEN '' ELSE a.payload END`,
);

/** What is under a data key that was destroyed has no name any more. */
const traced = async (row: Row, dataKeys: DataKeys): Promise<TracedAppend> => {
  const { stream, at, metadata, event_ids: ids, payload } = row;
  const { events } = payload === '' ? { events: [] } : await openedOrNot(row, dataKeys);
  const other = { type: payload === '' ? received.type : 'unknown', data: {} };
  const named = ids
    .slice(1, -1)
    .split(',')
    .map((id, i) => ({ ...(events[i] ?? other), id }));
  return { stream, at, metadata, events: named };
};

/** What a request led to in this store, oldest first, `tracedAppendsMax` at most. */
export const appendsOf = async (options: TrailOptions, correlationId: string): Promise<readonly TracedAppend[]> => {
  const { pool, schema, dataKeys } = options;
  const rows = await byIndex(pool, async (tx) => {
    const sql = `SELECT a.stream, a.last_revision, a.event_count, a.appended_at AS at, ${columns}
       FROM ${schema}.append a WHERE a.metadata ->> 'correlationId' = $1
      ORDER BY a.appended_at, a.stream, a.last_revision LIMIT ${tracedAppendsMax}`;
    return (await tx.query<Row>(sql, [correlationId])).rows;
  });
  return Promise.all(rows.map((row) => traced(row, dataKeys)));
};

/** Of a UUID of version 7, when it was made, in microseconds since 1970; of another one nothing is known. */
const madeAt = (id: string): number | undefined =>
  /^[\da-f]{8}-[\da-f]{4}-7/i.test(id) ? parseInt(id.replace('-', '').slice(0, 12), 16) * 1000 : undefined;

/** By how much the clocks of a writer and the database may differ, and how long an append may wait for its place. */
const [earlyMicros, lateMicros] = [10_000_000, 120_000_000];

/** The last position of what was recorded before a time. By the primary key: times grow along positions. */
const positionBefore = async ({ pool, schema }: TrailOptions, recordedAt: number): Promise<number> => {
  const last = `SELECT last_position FROM ${schema}.sequenced ORDER BY last_position DESC LIMIT 1`;
  const next = `SELECT recorded_at FROM ${schema}.sequenced WHERE last_position > $1 ORDER BY last_position LIMIT 1`;
  let low = 0;
  let high = (await pool.query<{ last_position: number }>(last)).rows[0]?.last_position ?? 0;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { rows } = await pool.query<{ recorded_at: number }>(next, [middle]);
    if (rows[0] !== undefined && rows[0].recorded_at < recordedAt) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The request that led to an event, by the event's id: one of version 7 tells when it was made. */
export const correlationOf = async (options: TrailOptions, eventId: string): Promise<string | undefined> => {
  const at = madeAt(eventId);
  if (at === undefined) return undefined;
  const { pool, schema } = options;
  const [from, to] = [await positionBefore(options, at - earlyMicros), await positionBefore(options, at + lateMicros)];
  const sql = `SELECT a.metadata ->> 'correlationId' AS id FROM ${schema}.sequenced s
      JOIN ${schema}.append a ON a.stream = s.stream AND a.last_revision = s.last_revision
     WHERE s.last_position > $1 AND s.last_position <= $2 AND $3 = ANY (a.event_ids) LIMIT 1`;
  return (await pool.query<{ id: string }>(sql, [from, to + 1000, eventId])).rows[0]?.id;
};
