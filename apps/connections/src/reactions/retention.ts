import type { EventStore } from '@causeway/event-sourcing';
import { eraseOldRuns, runsKeptDays, uuidSince } from '@causeway/event-stores';
import type { Pool } from '@causeway/postgres';
import { eventsSchema } from '../migrations.ts';

/**
 * Deletes what is left of runs of long ago. Those that brought pages keep their stream: the bank's own record is what a
 * better mapping is replayed from.
 */
export const forgetOld = async (pool: Pool, store: EventStore, nowMs: number): Promise<void> => {
  await eraseOldRuns({ pool, schema: eventsSchema, store, category: 'sync', eventsMax: 1 }, nowMs);
  const before = uuidSince(nowMs - runsKeptDays * 86_400_000);
  await pool.query('DELETE FROM connections.sync_run WHERE run_id < $1', [before]);
};
