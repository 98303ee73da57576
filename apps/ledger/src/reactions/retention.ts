import type { EventStore } from '@causeway/event-sourcing';
import { eraseOldRuns, runsKeptDays, uuidSince } from '@causeway/event-stores';
import type { Pool } from '@causeway/postgres';
import { forgetRows } from '@causeway/projections';
import { ledgerEventsSchema, ledgerSchema } from '../migrations.ts';
import { transactions } from '../projections/transactions/transactions.projection.ts';

const ofRuns = ['run', 'run_page', 'run_payment', 'statement_part'];

/** Deletes what was booked, or given up, long ago: what is left of runs, and rows that nobody can ask for any more. */
export const forgetOld = async (pool: Pool, store: EventStore, nowMs: number): Promise<void> => {
  await eraseOldRuns({ pool, schema: ledgerEventsSchema, store, category: 'booking' }, nowMs);
  const before = uuidSince(nowMs - runsKeptDays * 86_400_000);
  for (const table of ofRuns) await pool.query(`DELETE FROM ledger.${table} WHERE run_id < $1`, [before]);
  await forgetRows(pool, ledgerSchema, transactions);
};
