import type { SyncFault } from '@causeway/domain/connections';
import type { Context } from '@causeway/event-sourcing';
import type { Logger } from '@causeway/observability';
import type { Pool } from '@causeway/postgres';
import type { Bank } from '../commands/bank.ts';
import type { SyncParts } from './sync-parts.ts';

/** What cannot be given back comes again with the next run, and changes nothing then: no run waits for it. */
export const settle = async (bank: Bank | undefined, lent: readonly string[], log: Logger): Promise<void> => {
  try {
    await bank?.connector.settle(bank.access, lent);
  } catch (err) {
    log.warn({ connectionId: bank?.access.connectionId, err }, 'what a bank lent is not given back');
  }
};

export const isSetAside = async (pool: Pool, runId: string): Promise<boolean> => {
  const { rows } = await pool.query('SELECT 1 FROM connections.sync_run WHERE run_id = $1 AND set_aside', [runId]);
  return rows.length > 0;
};

/**
 * Nothing of a run that is given up on counts as kept: the next run sends it again. What is booked of it all the same is
 * told late. Safe to repeat.
 */
export const endSetAside = async (
  { aggregates, kept, now }: Pick<SyncParts, 'aggregates' | 'kept' | 'now'>,
  { connectionId, runId }: Readonly<{ connectionId: string; runId: string }>,
  context: Context,
): Promise<void> => {
  await kept.forget({ runId, connectionId });
  const fault: SyncFault = { kind: 'statement_refused', retryAfterSeconds: null };
  await aggregates.connection({ type: 'FailSync', connectionId, runId, changes: null, fault, at: now() }, context);
};
