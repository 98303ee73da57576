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
  { connectionId, runId, changes, refused, missing }: StatementBookedV1,
  context: Context,
): Promise<void> => {
  const [first] = refused;
  // Which pages are missing nobody knows: all of the run come again, and those that are booked change nothing then.
  if (missing > 0) await kept.forget(runId);
  else if (first === undefined) await sessions.get(runId)?.settle();
  else
    await kept.forget(
      runId,
      refused.map(({ page }) => page),
    );
  const refusal = refusalOf(missing, first?.reason, refused.length);
  const command = { type: 'CompleteSync', connectionId, runId, changes, refusal, at: now() } as const;
  await aggregates.connection(command, context);
};

/** Why the run has failed; null when it has not. */
const refusalOf = (missing: number, reason: string | undefined, refused: number): string | null => {
  if (missing > 0) return `${missing} of its pages did not arrive.`;
  return reason === undefined ? null : `${refused} of its pages could not be read: ${reason}`;
};
