import type { PaymentsBookedV1 } from '@causeway/contracts';
import { transfer, transferOf, type Transfer, type TransferEvent } from '@causeway/domain/transfers';
import type { Context } from '@causeway/event-sourcing';
import type { Commands } from '../commands/commands.ts';

type Booked = Pick<PaymentsBookedV1, 'organization' | 'environment'> & PaymentsBookedV1['payments'][number];

/**
 * A row of the paying account that carries our reference is the payment on the bank's statement. A reference that leads to
 * no transfer of that owner and account is somebody else's. Safe to repeat: the first row counts.
 */
export const matchPayment = async (
  { aggregates, store, now }: Pick<Commands, 'aggregates' | 'store' | 'now'>,
  { organization, environment, accountId, transactionId, reference }: Booked,
  context: Context,
): Promise<void> => {
  const transferId = transferOf(reference);
  if (transferId === undefined) return;
  const history = await store.readStream<TransferEvent>(`transfer-${transferId}`);
  const owner = history[0]?.metadata;
  const state = history.reduce<Transfer>((folded, event) => transfer.evolve(folded, event), transfer.initial);
  if (owner?.organization !== organization || owner.environment !== environment) return;
  if (state.status === 'none' || state.order.sourceAccountId !== accountId) return;
  await aggregates.transfer({ type: 'MatchTransaction', transferId, transactionId, at: now() }, context);
};
