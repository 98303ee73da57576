import type { PaymentsBookedV1 } from '@causeway/contracts';
import { transferOf } from '@causeway/domain/transfers';
import type { Context } from '@causeway/event-sourcing';
import { transferMatchedTo } from '@causeway/read-models';
import type { Commands } from '../commands/commands.ts';

type Booked = Pick<PaymentsBookedV1, 'organization' | 'environment'> & PaymentsBookedV1['payments'][number];

/**
 * A row of the paying account that carries our reference is the payment on the bank's statement. A reference that leads to
 * no transfer of that owner and account is somebody else's. Safe to repeat: the first row counts.
 */
export const matchPayment = async (
  { aggregates, store, pool, now }: Pick<Commands, 'aggregates' | 'store' | 'pool' | 'now'>,
  { organization, environment, accountId, transactionId, reference }: Booked,
  context: Context,
): Promise<void> => {
  const transferId = transferOf(reference);
  if (transferId === undefined) return;
  const [first] = await store.readStream(`transfer-${transferId}`, { limit: 1 });
  if (first?.metadata.organization !== organization || first.metadata.environment !== environment) return;
  const { text, values } = transferMatchedTo({ organization, environment }, transactionId);
  const { rows } = await pool.query<{ id: string }>(text, [...values]);
  const row = { transactionId, accountId, transferId: rows[0]?.id ?? null };
  await aggregates.transfer({ type: 'MatchTransaction', transferId, row, at: now() }, context);
};
