import type { EventStore, Position } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import { parkedStreams } from './parkings.ts';

/** How a projection stands, as an operator sees it; one for each of its generations. */
export type ProjectionStatus = Readonly<{
  name: string;
  version: number;
  position: Position;
  /** Positions of the store that are not yet in the rows. */
  lagEvents: number;
  /** For how long the oldest of them has been in the store. */
  lagSeconds: number;
  state: 'live' | 'building' | 'indexing' | 'ready' | 'kept';
  /** Streams of which events wait to be mended. */
  parked: readonly Readonly<{ stream: string; reason: string; since: string }>[];
}>;

type Row = Readonly<{
  name: string;
  version: number;
  generation: number;
  position: Position;
  state: ProjectionStatus['state'];
}>;

/** Every projection of a service, with what it has still to do. `nowMs`: since 1970. */
export const projectionStatuses = async (
  pool: Pool,
  schema: string,
  store: Pick<EventStore, 'head' | 'readAll'>,
  nowMs: number,
): Promise<readonly ProjectionStatus[]> => {
  const { rows } = await pool.query<Row>(
    `SELECT name, version, generation, position, stage AS state FROM ${schema}.projection ORDER BY name, generation`,
  );
  const held = await parkedStreams(pool, schema);
  const head = await store.head();
  return Promise.all(
    rows.map(async (row) => {
      const { events } = row.position < head ? await store.readAll(row.position, 1) : { events: [] };
      const waiting = events[0] === undefined ? 0 : Math.max(0, nowMs / 1000 - events[0].recordedAt / 1_000_000);
      const lagSeconds = Math.round(waiting * 1000) / 1000;
      const { name, version, generation, position, state } = row;
      const parked = held
        .filter((each) => each.projection === name && each.generation === generation)
        .map(({ stream, reason, since }) => ({ stream, reason, since }));
      return { name, version, position, lagEvents: head - position, lagSeconds, state, parked };
    }),
  );
};
