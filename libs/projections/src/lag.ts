import type { EventStore, Position } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';

/** How a projection stands, as an operator sees it. `building`: a generation beside the live one. */
export type ProjectionStatus = Readonly<{
  name: string;
  version: number;
  position: Position;
  /** Positions of the store that are not yet in the rows. */
  lagEvents: number;
  /** For how long the oldest of them has been in the store. */
  lagSeconds: number;
  state: 'live' | 'behind' | 'building' | 'failed';
}>;

/** Fewer seconds than this are the normal way from the store to the rows. */
const behindSeconds = 5;

type Row = Readonly<{ name: string; version: number; position: Position; live: boolean; failure: string | null }>;

const stateOf = ({ live, failure }: Row, lagSeconds: number): ProjectionStatus['state'] => {
  if (failure !== null) return 'failed';
  if (!live) return 'building';
  return lagSeconds > behindSeconds ? 'behind' : 'live';
};

/** Every projection of a service, with what it has still to do. `nowMs`: since 1970. */
export const projectionStatuses = async (
  pool: Pool,
  schema: string,
  store: Pick<EventStore, 'head' | 'readAll'>,
  nowMs: number,
): Promise<readonly ProjectionStatus[]> => {
  const { rows } = await pool.query<Row>(
    `SELECT name, version, position, live, failure FROM ${schema}.projection ORDER BY name, generation`,
  );
  const head = await store.head();
  return Promise.all(
    rows.map(async (row) => {
      const { events } = row.position < head ? await store.readAll(row.position, 1) : { events: [] };
      const waiting = events[0] === undefined ? 0 : Math.max(0, nowMs / 1000 - events[0].recordedAt / 1_000_000);
      const lagSeconds = Math.round(waiting * 1000) / 1000;
      const { name, version, position } = row;
      return { name, version, position, lagEvents: head - position, lagSeconds, state: stateOf(row, lagSeconds) };
    }),
  );
};
