import type { BankAccess, Connector } from '@causeway/bank-connectors';
import type { SyncFault } from '@causeway/domain/connections';
import type { Context } from '@causeway/event-sourcing';
import type { Logger } from '@causeway/observability';
import type { Pool } from '@causeway/postgres';
import type { Aggregates } from '../commands/aggregates.ts';
import type { KeptPages } from './kept-pages.ts';

type Bank = Readonly<{ connector: Pick<Connector, 'settle'>; access: BankAccess }>;

/** What cannot be given back comes again with the next run, and changes nothing then: no run waits for it. */
export const settle = async ({ connector, access }: Bank, lent: readonly string[], log: Logger): Promise<void> => {
  try {
    await connector.settle(access, lent);
  } catch (err) {
    log.warn({ connectionId: access.connectionId, err }, 'what a bank lent is not given back');
  }
};

export const isSetAside = async (pool: Pool, runId: string): Promise<boolean> => {
  const { rows } = await pool.query('SELECT 1 FROM connections.sync_run WHERE run_id = $1 AND set_aside', [runId]);
  return rows.length > 0;
};

type Parts = Readonly<{
  aggregates: Pick<Aggregates, 'connection'>;
  kept: Pick<KeptPages, 'forget'>;
  now(): string;
}>;

/**
 * Nothing of a run that is given up on counts as kept: the next run sends it again. What is booked of it all the same is
 * told late. Safe to repeat.
 */
export const endSetAside = async (
  { aggregates, kept, now }: Parts,
  { connectionId, runId }: Readonly<{ connectionId: string; runId: string }>,
  message: string,
  context: Context,
): Promise<void> => {
  await kept.forget(runId);
  const fault: SyncFault = { kind: 'statement_refused', message, retryAfterSeconds: null };
  await aggregates.connection({ type: 'FailSync', connectionId, runId, changes: null, fault, at: now() }, context);
};
