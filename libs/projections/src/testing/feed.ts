import { timestampOf, type Event, type EventStore, type Sequenced } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import { createHash } from 'node:crypto';
import type { Correction, Difference, Projection } from '../projection.ts';
import { rowProjection } from '../row-projection.ts';
import { schema, type Counted, type Tally } from './tally.ts';

export type Corrected = { type: 'Corrected'; data: { name: string; reason: string; operator: string } };
type FeedEvent = Counted | Corrected;

export const feedView = `${schema}.feed_v1`;
const metadata = { correlationId: 'c', causationId: 'c', organization: null, environment: null };

const idOf = ({ id }: Correction, name: string): string => {
  const hex = createHash('sha256').update(`${id} ${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

const record = async (store: EventStore, { id: name }: Difference, by: Correction): Promise<void> => {
  const stream = `corrected-${name}` as const;
  const recorded = await store.readStream(stream);
  const event = { type: 'Corrected', data: { name, reason: by.reason, operator: by.operator }, id: idOf(by, name) };
  if (recorded.some(({ id }) => id === event.id)) return;
  const expected = recorded.at(-1)?.revision ?? 'no-stream';
  await store.append({ stream, expected, events: [event], metadata, dataKey: null });
};

/** Where a fold differs from that of others: names that begin with it count so much each time. */
export type Fold = Readonly<{ version?: number; prefix?: string; weight?: number }>;

export const appliedBy =
  ({ prefix = '', weight = 1 }: Fold) =>
  (row: Tally | undefined, event: Sequenced<FeedEvent>): Tally | undefined => {
    const { name } = event.data;
    const updatedAt = timestampOf(event.recordedAt);
    if (event.type === 'Corrected') return row && { ...row, updatedAt };
    const times = String(Number(row?.times ?? 0) + (name.startsWith(prefix) ? weight : 1));
    return { name, times, updatedAt };
  };

/** A tally that clients follow by the time of its changes, so that what a new fold shows otherwise is told by an event. */
export const feed = (fold: Fold = {}, change: Partial<Projection> = {}): Projection => ({
  ...rowProjection<Tally, FeedEvent>({
    name: 'feed',
    version: fold.version ?? 1,
    table: 'feed',
    columns: { name: 'text', times: 'numeric', updatedAt: 'timestamptz' },
    key: 'name',
    keysOf: ({ data }) => [data.name],
    apply: appliedBy(fold),
    indexes: ['(updated_at, name)'],
    views: (table) => [
      `DROP VIEW IF EXISTS ${feedView}`,
      `CREATE VIEW ${feedView} AS SELECT name, times::int, updated_at FROM ${table('feed')}`,
    ],
  }),
  correct: async ({ store }, differences, by) => {
    for (const difference of differences) await record(store, difference, by);
    return store.head();
  },
  ...change,
});

export type FeedRow = Readonly<{ name: string; times: number; at: string }>;

const rowsAfter = async (pool: Pool, { at, name }: Pick<FeedRow, 'at' | 'name'>): Promise<readonly FeedRow[]> => {
  const { rows } = await pool.query<FeedRow>(
    `SELECT name, times, updated_at::text AS at FROM ${feedView}
      WHERE (updated_at, name) > ($1, $2) ORDER BY updated_at, name LIMIT 500`,
    [at, name],
  );
  return rows;
};

/** A client that polls by a cursor and believes what it was told. Throws what a reader would see as an error. */
export const polling = (pool: Pool) => {
  const rows = new Map<string, FeedRow>();
  let cursor = { at: '-infinity', name: '' };
  const poll = async (): Promise<boolean> => {
    const page = await rowsAfter(pool, cursor);
    for (const row of page) rows.set(row.name, row);
    cursor = page.at(-1) ?? cursor;
    return page.length > 0;
  };
  return {
    poll,
    drained: async (): Promise<ReadonlyMap<string, FeedRow>> => {
      while (await poll());
      return rows;
    },
  };
};

/** What a fold makes of all that is in the store. */
export const foldedBy = async (store: EventStore, fold: Fold): Promise<ReadonlyMap<string, FeedRow>> => {
  const rows = new Map<string, Tally>();
  const apply = appliedBy(fold);
  const { events } = await store.readAll(0 as never, 1_000_000);
  for (const event of events as readonly Sequenced<FeedEvent & Event>[]) {
    const row = apply(rows.get(event.data.name), event);
    if (row !== undefined) rows.set(row.name, row);
  }
  return new Map(
    [...rows].map(([name, { times, updatedAt }]) => [name, { name, times: Number(times), at: updatedAt }]),
  );
};
