import { appendEventsMax, stretchPositions, type Position, type StreamName } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import type { Gathered } from './gather.ts';
import { later, type ServerPosition } from './position.ts';

/** An append's place. */
export type PlacedRow = Readonly<{
  last_position: Position;
  event_count: number;
  recorded_at: number;
  stream: StreamName;
  last_revision: number;
}>;

/**
 * How far a reader of the server's order has come: everything of the service's up to `passed` has its place. `last`: the
 * last append of the service's among it. Undefined: nothing yet.
 */
export type Standing = Readonly<{ passed: ServerPosition | undefined; last: ServerPosition | undefined }>;

/** `position`: as far as was looked. */
export type Stretch = Readonly<{ rows: readonly PlacedRow[]; position: Position }>;

export type Order = Readonly<{
  /** Where whoever starts now may go on. */
  standing(): Promise<Standing>;
  /** Appends that follow `last` in the server's order, all there are up to the last of them. */
  place(last: ServerPosition | undefined, appends: readonly Gathered[]): Promise<Position>;
  lookedThrough(position: ServerPosition): Promise<void>;
  rows(after: Position, limit: number): Promise<readonly PlacedRow[]>;
  /** Of these streams, in the next stretch of the order. */
  rowsOf(streams: readonly StreamName[], after: Position, limit: number): Promise<Stretch>;
  /** How many events of a stream have a place, erased ones too. */
  eventsOf(stream: StreamName): Promise<number>;
}>;

type Marks = Readonly<Record<'commit' | 'prepare', string>>;
const positionOf = (marks: Marks | undefined): ServerPosition | undefined =>
  marks && { commit: BigInt(marks.commit), prepare: BigInt(marks.prepare) };

const columns = 'commit_position::text AS commit, prepare_position::text AS prepare';
const before = { commit: -1n, prepare: -1n };

const rowsSql = (schema: string): string => `
SELECT last_position, event_count, recorded_at, stream, last_revision FROM ${schema}.placed
 WHERE last_position > $1 AND last_position < $1 + $2::int + ${appendEventsMax}
   AND last_position - event_count < $1 + $2::int
 ORDER BY last_position`;

const stretchSql = (schema: string): string => `
SELECT coalesce(least(max(last_position), $1::bigint + ${stretchPositions}), $1) AS upto FROM ${schema}.placed`;

const rowsOfSql = (schema: string): string => `
WITH named AS (
  SELECT *, sum(event_count) OVER (ORDER BY last_position) - event_count AS before FROM (
    SELECT last_position, event_count, recorded_at, stream, last_revision FROM ${schema}.placed
     WHERE last_position > $1 AND last_position <= $2 AND stream = ANY ($3) ORDER BY last_position LIMIT $4) n
)
SELECT last_position, event_count, recorded_at, stream, last_revision FROM named WHERE before < $4 ORDER BY last_position`;

const eventsOfSql = (schema: string): string =>
  `SELECT coalesce(max(last_revision) + 1, 0) AS events FROM ${schema}.placed WHERE stream = $1`;

const columnsOf = (appends: readonly Gathered[]): readonly unknown[][] => [
  appends.map(({ stream }) => stream),
  appends.map(({ lastRevision }) => lastRevision),
  appends.map(({ count }) => count),
  appends.map(({ at }) => String(at.commit)),
  appends.map(({ at }) => String(at.prepare)),
];

/** The order as PostgreSQL keeps it. */
export const orderIn = (pool: Pool, schema: string): Order => {
  const query = async <R extends object>(name: string, text: string, values: readonly unknown[] = []): Promise<R[]> =>
    (await pool.query<R>({ name: `${schema}.${name}`, text, values: [...values] })).rows;

  const standing = async (): Promise<Standing> => {
    const lastSql = `SELECT ${columns} FROM ${schema}.placed ORDER BY last_position DESC LIMIT 1`;
    const [placed] = await query<Marks>('last_placed', lastSql);
    const [looked] = await query<Marks>('looked', `SELECT ${columns} FROM ${schema}.looked_through`);
    const last = positionOf(placed);
    return { passed: later(positionOf(looked), last), last };
  };

  const place = async (last: ServerPosition = before, appends: readonly Gathered[]): Promise<Position> => {
    const [row] = await query<{ position: Position }>(
      'place',
      `SELECT ${schema}.place($1, $2, $3, $4, $5, $6, $7) AS position`,
      [String(last.commit), String(last.prepare), ...columnsOf(appends)],
    );
    if (row === undefined) throw new Error('place answered nothing');
    return Number(row.position) as Position;
  };

  const lookedThrough = async ({ commit, prepare }: ServerPosition): Promise<void> => {
    await query('looked_through', `SELECT ${schema}.looked_through($1, $2)`, [String(commit), String(prepare)]);
  };

  const rows = (after: Position, limit: number) => query<PlacedRow>('rows', rowsSql(schema), [after, limit]);

  const rowsOf: Order['rowsOf'] = async (streams, after, limit) => {
    const [stretch] = await query<{ upto: Position }>('stretch', stretchSql(schema), [after]);
    const upto = stretch?.upto ?? after;
    const found = await query<PlacedRow>('rows_of', rowsOfSql(schema), [after, upto, streams, limit]);
    const isCut = found.reduce((sum, { event_count }) => sum + event_count, 0) >= limit;
    return { rows: found, position: isCut ? (found.at(-1)?.last_position ?? upto) : upto };
  };

  const eventsOf = async (stream: StreamName): Promise<number> =>
    (await query<{ events: number }>('events_of', eventsOfSql(schema), [stream]))[0]?.events ?? 0;

  return { standing, place, lookedThrough, rows, rowsOf, eventsOf };
};
