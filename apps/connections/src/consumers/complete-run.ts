import type { BankSession } from '@causeway/bank-connectors';
import type { StatementBookedV1 } from '@causeway/contracts';
import type { Context } from '@causeway/event-sourcing';
import type { Aggregates } from '../commands/aggregates.ts';
import type { KeptPages } from '../reactions/kept-pages.ts';

export type RunEnd = Readonly<{
  aggregates: Pick<Aggregates, 'connection'>;
  kept: Pick<KeptPages, 'forget'>;
  sessions: ReadonlyMap<string, BankSession>;
  now(): string;
}>;

/**
 * Everything of a run is booked: what the bank lent for it goes back, then the run ends. Safe to repeat. A session that
 * died with its process is not settled: what it held comes again with the next run, and changes nothing then.
 */
export const completeRun = async (
  { aggregates, kept, sessions, now }: RunEnd,
  { connectionId, runId, changes, refused }: StatementBookedV1,
  context: Context,
): Promise<void> => {
  if (refused.length === 0) await sessions.get(runId)?.settle();
  else {
    const pages = refused.map(({ page }) => page);
    await kept.forget(runId, pages);
  }
  const [first] = refused;
  const refusal = first === undefined ? null : `${refused.length} of its pages could not be read: ${first.reason}`;
  const command = { type: 'CompleteSync', connectionId, runId, changes, refusal, at: now() } as const;
  await aggregates.connection(command, context);
};
