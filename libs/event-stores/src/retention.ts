import type { EventStore, StreamName } from '@causeway/event-sourcing';
import { sqlName, type Pool } from '@causeway/postgres';

const dayMs = 86_400_000;
/** How long runs can be looked up. */
export const runsKeptDays = 90;
/**
 * What became due longer ago was looked at then, every hour. What nobody was there to look at stays: each look would
 * otherwise read all that is kept for good.
 */
const lookedBackDays = 7;
const streamsMax = 500;
const everyMs = 3_600_000;

/** The least UUID of version 7 made at that time or later; `timeMs` since 1970. */
export const uuidSince = (timeMs: number): string => {
  const hex = Math.max(0, timeMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

type OldRuns = Readonly<{
  pool: Pool;
  /** Of the events. */
  schema: string;
  store: Pick<EventStore, 'eraseStream'>;
  /** Streams are named `<category>-<id of the run>`, a UUID of version 7. */
  category: string;
  /** Only streams of so few events; all when left out. */
  eventsMax?: number;
}>;

/**
 * Erases the streams of runs that ended long ago. Resolves to their number. Finds what lies in PostgreSQL: where events
 * are kept elsewhere, their streams stay.
 */
export const eraseOldRuns = async (runs: OldRuns, nowMs: number): Promise<number> => {
  const { pool, schema, store, category, eventsMax = null } = runs;
  const before = nowMs - runsKeptDays * dayMs;
  let after = `${category}-${uuidSince(before - lookedBackDays * dayMs)}`;
  for (let erased = 0; ;) {
    const { rows } = await pool.query<{ stream: StreamName }>(
      `SELECT stream FROM ${sqlName(schema)}.append WHERE stream > $1 AND stream < $2
        GROUP BY stream HAVING $3::int IS NULL OR sum(event_count) <= $3 ORDER BY stream LIMIT ${streamsMax}`,
      [after, `${category}-${uuidSince(before)}`, eventsMax],
    );
    for (const { stream } of rows) await store.eraseStream(stream);
    erased += rows.length;
    after = rows.at(-1)?.stream ?? after;
    if (rows.length < streamsMax) return erased;
  }
};

/** Every hour, in every process: what one has deleted the others do not find. Returns what ends it. */
export const startRetention = (forget: () => Promise<unknown>, onFault: (error: unknown) => void): (() => void) => {
  const timer = setInterval(() => void forget().catch(onFault), everyMs);
  return () => clearInterval(timer);
};
