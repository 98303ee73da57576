import { accept, reject } from '@causeway/event-sourcing';
import type { TransferEvent } from './transfer.events.ts';
import type { CommandOf, Queued, TransferDecision, TransferStatus } from './transfer.state.ts';

/** Statuses in which the bank may have the order, and its answer is news. */
export const open: readonly TransferStatus[] = ['executing', 'pending_bank_approval', 'unknown'];
/** Statuses in which the money has moved. */
const paid: readonly TransferStatus[] = ['completed', 'returned'];

export const completed = ({ order }: Queued, completedAt: string): TransferEvent => ({
  type: 'TransferCompleted',
  data: { executedValue: order.amount.value, completedAt },
});

export const wrongStatus = ({ status }: Queued): TransferDecision => reject({ code: 'wrong_status', status });

/**
 * What the statement shows was paid, whether or not the bank has said so. The first row of it counts, and none that an
 * operator took back or gave to another transfer.
 */
export const match = (transfer: Queued, command: CommandOf<'MatchTransaction'>): TransferDecision => {
  const { row, at } = command;
  const { transactionId } = row;
  if (transfer.matchedTransactionId !== null || transfer.unmatched.includes(transactionId)) return accept();
  if (row.accountId !== transfer.order.sourceAccountId || isOfAnother(command)) return accept();
  const matched: TransferEvent = { type: 'TransferMatched', data: { transactionId, matchedAt: at } };
  if (paid.includes(transfer.status)) return accept(matched);
  return open.includes(transfer.status) ? accept(completed(transfer, at), matched) : accept();
};

/**
 * An operator's word on it. Unlike a row found by its reference, it also says that what counts as failed was paid; what
 * was never sent cannot be on a statement.
 */
export const rematch = (transfer: Queued, command: CommandOf<'RematchTransaction'>): TransferDecision => {
  const { row, reason, operator, at } = command;
  const transactionId = row?.transactionId ?? null;
  if (transfer.matchedTransactionId === transactionId) return accept();
  const rematched: TransferEvent = {
    type: 'TransferRematched',
    data: { transactionId, rematchedAt: at, reason, operator },
  };
  if (row === null) return accept(rematched);
  if (row.accountId !== transfer.order.sourceAccountId) return reject({ code: 'other_account' });
  if (row.transferId !== null && isOfAnother({ ...command, row })) {
    return reject({ code: 'matched_already', transferId: row.transferId });
  }
  if (paid.includes(transfer.status)) return accept(rematched);
  const isMoved = open.includes(transfer.status) || transfer.status === 'failed';
  return isMoved ? accept(completed(transfer, at), rematched) : wrongStatus(transfer);
};

type Matching = Readonly<{ transferId: string; row: Readonly<{ transferId: string | null }> }>;

const isOfAnother = ({ transferId, row }: Matching): boolean =>
  row.transferId !== null && row.transferId !== transferId;
