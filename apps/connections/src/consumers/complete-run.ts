import type { BankAccess, Connector } from '@causeway/bank-connectors';
import type { StatementBookedV1, StatementProgressV1, StatementSetAsideV1 } from '@causeway/contracts';
import { isKnown, type SyncFault } from '@causeway/domain/connections';
import type { Context, EventStore } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import type { Aggregates } from '../commands/aggregates.ts';
import type { KeptPages } from '../reactions/kept-pages.ts';
import { isFetched } from '../reactions/run-journal.ts';

export type RunEnd = Readonly<{
  pool: Pool;
  store: EventStore;
  aggregates: Pick<Aggregates, 'connection' | 'connectionNow'>;
  kept: Pick<KeptPages, 'forget'>;
  connectors: Readonly<Record<string, Connector>>;
  accessTo(connectionId: string, institutionId: string): BankAccess;
  now(): string;
}>;

/**
 * The ledger is done with a run: what the bank lent for it goes back, then the run ends; or, where it had been given up
 * on, its changes are told. Safe to repeat, in any process.
 */
export const completeRun = async (parts: RunEnd, booked: StatementBookedV1, context: Context): Promise<void> => {
  const { kept, aggregates, now } = parts;
  const { connectionId, runId, changes, refused, missing } = booked;
  // Which pages are missing nobody knows: all of the run come again, and those that are booked change nothing then.
  if (missing > 0) await kept.forget(runId);
  else if (refused.length === 0) await giveBack(parts, booked);
  else
    await kept.forget(
      runId,
      refused.map(({ page }) => page),
    );
  const command = { type: 'CompleteSync', connectionId, runId, changes, fault: faultOf(booked), at: now() } as const;
  await aggregates.connection(command, context);
};

const giveBack = async (
  { pool, aggregates, connectors, accessTo }: RunEnd,
  { connectionId, runId }: StatementBookedV1,
): Promise<void> => {
  const { rows } = await pool.query<{ lent: readonly string[] }>(
    'SELECT lent FROM connections.sync_run WHERE run_id = $1 AND cardinality(lent) > 0',
    [runId],
  );
  if (rows[0] === undefined) return;
  const { state } = await aggregates.connectionNow(connectionId);
  if (!isKnown(state) || state.institutionId === null) return;
  await connectors[state.connector ?? '']?.settle(accessTo(connectionId, state.institutionId), rows[0].lent);
};

/** Why the run has failed; null when it has not. */
const faultOf = ({ missing, refused, parked }: StatementBookedV1): SyncFault | null => {
  if (missing > 0) return refusal(`${missing} of its pages did not arrive.`);
  const [first] = refused;
  if (first !== undefined) return refusal(`${refused.length} of its pages could not be read: ${first.reason}`);
  return parked
    ? { kind: 'parked', message: 'An event of one of its accounts waits to be mended.', retryAfterSeconds: null }
    : null;
};

const refusal = (message: string): SyncFault => ({ kind: 'statement_refused', message, retryAfterSeconds: null });

export const noteProgress = async ({ pool }: Pick<RunEnd, 'pool'>, progress: StatementProgressV1): Promise<void> => {
  await pool.query(
    'UPDATE connections.sync_run SET booked_bytes = greatest(booked_bytes, $2::bigint) WHERE run_id = $1',
    [progress.runId, progress.bytes],
  );
};

/**
 * A message of the run is a dead letter. While it is fetched its worker learns of it, so that what came before is still
 * booked and told; afterwards it is given up on, and nothing of it counts as kept: the next run sends it again.
 */
export const giveUp = async (
  { pool, store, aggregates, kept, now }: RunEnd,
  { connectionId, runId, reason }: StatementSetAsideV1,
  context: Context,
): Promise<void> => {
  await pool.query('UPDATE connections.sync_run SET set_aside = true WHERE run_id = $1', [runId]);
  if (!(await isFetched({ pool, store }, runId))) return;
  await kept.forget(runId);
  const fault = refusal(`A message of it was set aside: ${reason}`);
  const command = { type: 'FailSync', connectionId, runId, changes: null, fault, at: now() } as const;
  await aggregates.connection(command, context);
};
