import type { StatementBookedV1, StatementProgressV1, StatementSetAsideV1 } from '@causeway/contracts';
import { isKnown, type SyncFault } from '@causeway/domain/connections';
import type { Context } from '@causeway/event-sourcing';
import { bankOf } from '../commands/bank.ts';
import { endSetAside, settle } from '../reactions/run-ends.ts';
import { isFetched } from '../reactions/run-journal.ts';
import type { SyncParts } from '../reactions/sync-parts.ts';

export type RunEnd = Omit<SyncParts, 'dataKeys' | 'silenceMaxMs' | 'unbookedBytesMax'>;

/**
 * The ledger is done with a run: what the bank lent for it goes back, then the run ends; or, where it had been given up
 * on, its changes are told. Safe to repeat, in any process.
 */
export const completeRun = async (parts: RunEnd, booked: StatementBookedV1, context: Context): Promise<void> => {
  const { kept, aggregates, now } = parts;
  const { connectionId, runId, changes, refused, missing } = booked;
  // Which pages are missing nobody knows: all of the run come again, and those that are booked change nothing then.
  const refusedPages = refused.map(({ page }) => page);
  if (missing > 0) await kept.forget(booked);
  else if (refused.length > 0) await kept.forget(booked, refusedPages);
  else await giveBack(parts, booked);
  const command = { type: 'CompleteSync', connectionId, runId, changes, fault: faultOf(booked), at: now() } as const;
  await aggregates.connection(command, context);
};

const giveBack = async (parts: RunEnd, { connectionId, runId }: StatementBookedV1): Promise<void> => {
  const { rows } = await parts.pool.query<{ lent: readonly string[] }>(
    'SELECT lent FROM connections.sync_run WHERE run_id = $1 AND connection_id = $2 AND cardinality(lent) > 0',
    [runId, connectionId],
  );
  if (rows[0] === undefined) return;
  const { state } = await parts.aggregates.connectionNow(connectionId);
  if (isKnown(state)) await settle(bankOf(parts, connectionId, state), rows[0].lent, parts.log);
};

/** Why the run has failed; null when it has not. */
const faultOf = ({ missing, refused, parked }: StatementBookedV1): SyncFault | null => {
  if (missing > 0 || refused.length > 0) return { kind: 'statement_refused', retryAfterSeconds: null };
  return parked ? { kind: 'parked', retryAfterSeconds: null } : null;
};

export const noteProgress = async ({ pool }: Pick<RunEnd, 'pool'>, progress: StatementProgressV1): Promise<void> => {
  await pool.query(
    `UPDATE connections.sync_run SET booked_bytes = greatest(booked_bytes, $3::bigint)
      WHERE run_id = $1 AND connection_id = $2`,
    [progress.runId, progress.connectionId, progress.bytes],
  );
};

/**
 * A message of the run is a dead letter. While it is fetched its worker learns of it, so that what came before is still
 * booked and told, and ends it; afterwards it ends here.
 */
export const giveUp = async (
  parts: RunEnd,
  { connectionId, runId }: Pick<StatementSetAsideV1, 'connectionId' | 'runId'>,
  context: Context,
): Promise<void> => {
  const { rowCount } = await parts.pool.query(
    'UPDATE connections.sync_run SET set_aside = true WHERE run_id = $1 AND connection_id = $2',
    [runId, connectionId],
  );
  if (rowCount === 0 || !(await isFetched(parts, runId))) return;
  await endSetAside(parts, { connectionId, runId }, context);
};
