import { assertNever, type Decision } from '@causeway/event-sourcing';
import type { ByOperator, DeclaredOutcome, FailureCode, Order, TransferEvent } from './transfer.events.ts';

/** What is recorded of a transfer's way: that it is about to be sent, and what became of it. */
export type TransferStep =
  | Readonly<{ type: 'StartExecution' }>
  /** Before anything was sent: what the order needs is not there. */
  | Readonly<{ type: 'RefuseExecution'; failure: FailureCode }>
  | Readonly<{ type: 'RecordApprovalWait' }>
  | Readonly<{ type: 'RecordLostOutcome' }>
  /** The bank gives no answer, or has never seen the order. */
  | Readonly<{ type: 'RecordSilence' }>
  | Readonly<{ type: 'RecordCompletion' }>
  | Readonly<{ type: 'RecordFailure'; failure: FailureCode }>
  | Readonly<{ type: 'RecordDecline'; failure: FailureCode }>
  | Readonly<{ type: 'RecordReturn'; failure: FailureCode }>;

/** A row of a bank statement. `transferId`: of the transfer that it is matched to; null: of none that is known. */
export type StatementRow = Readonly<{ transactionId: string; accountId: string; transferId: string | null }>;

/** What a client, the bank's statement or an operator asks for. `requestId`: the same again is the same request. */
type Wish =
  | Readonly<{ type: 'QueueTransfer'; order: Order }>
  | Readonly<{ type: 'RetryTransfer'; requestId: string }>
  | Readonly<{ type: 'CancelTransfer'; requestId: string }>
  | Readonly<{ type: 'MatchTransaction'; row: StatementRow }>
  | (Readonly<{ type: 'DeclareOutcome'; outcome: DeclaredOutcome }> & ByOperator)
  /** Null: it is not the one that it was matched to. */
  | (Readonly<{ type: 'RematchTransaction'; row: StatementRow | null }> & ByOperator);

/**
 * `at`: when the service received the command or the bank's answer, UTC. `attempt`: the one that a step is of. What
 * comes late of an earlier one says nothing of this one.
 */
export type TransferCommand = Readonly<{ transferId: string; at: string }> &
  (Wish | (TransferStep & Readonly<{ attempt: number }>));

export type TransferStatus =
  'queued' | 'executing' | 'pending_bank_approval' | 'unknown' | 'completed' | 'failed' | 'cancelled' | 'returned';

export type TransferRejection =
  | Readonly<{ code: 'other_order' | 'not_found' | 'other_account' }>
  | Readonly<{ code: 'wrong_status'; status: TransferStatus }>
  | Readonly<{ code: 'matched_already'; transferId: string }>;

export type Transfer =
  | Readonly<{ status: 'none' }>
  | Readonly<{
      status: TransferStatus;
      order: Order;
      /** The attempt that it is at: 0 the first, n the n-th retry. */
      attempt: number;
      /** Of the retries and the cancellation that were asked for. */
      requests: readonly string[];
      /** When the newest attempt started; null before the first. */
      startedAt: string | null;
      /** When the outcome was lost; null while it was not. */
      lostAt: string | null;
      /** What an operator knows of the lost outcome; null while nobody has said. */
      declared: DeclaredOutcome | null;
      /** When the first outcome of the newest attempt came; null before. */
      endedAt: string | null;
      matchedTransactionId: string | null;
      /** Transactions that an operator said it is not. */
      unmatched: readonly string[];
    }>;

export type Queued = Exclude<Transfer, { status: 'none' }>;
export type TransferDecision = Decision<TransferEvent, TransferRejection>;
export type CommandOf<T extends TransferCommand['type']> = Extract<TransferCommand, { type: T }>;

export const initial: Transfer = { status: 'none' };

const evolveQueued = (transfer: Queued, event: Exclude<TransferEvent, { type: 'TransferQueued' }>): Transfer => {
  switch (event.type) {
    case 'TransferRetried': {
      const { attempt, requestId } = event.data;
      const requests = [...transfer.requests, requestId];
      const untouched = { startedAt: null, lostAt: null, declared: null, endedAt: null };
      return { ...transfer, ...untouched, status: 'queued', attempt, requests };
    }
    case 'TransferExecutionStarted':
      return { ...transfer, status: 'executing', startedAt: event.data.startedAt };
    case 'TransferAwaitsApproval':
      return { ...transfer, status: 'pending_bank_approval', declared: null };
    case 'TransferOutcomeLost':
      return { ...transfer, status: 'unknown', lostAt: event.data.lostAt, declared: null };
    case 'TransferCompleted':
      return { ...transfer, status: 'completed', endedAt: event.data.completedAt };
    case 'TransferFailed':
      return { ...transfer, status: 'failed', endedAt: event.data.failedAt };
    case 'TransferCancelled': {
      const { requestId, cancelledAt: endedAt } = event.data;
      const requests = requestId === null ? transfer.requests : [...transfer.requests, requestId];
      return { ...transfer, status: 'cancelled', requests, endedAt };
    }
    case 'TransferReturned':
      return { ...transfer, status: 'returned' };
    case 'TransferMatched':
      return { ...transfer, matchedTransactionId: event.data.transactionId };
    case 'TransferOutcomeDeclared':
      return { ...transfer, declared: event.data.outcome };
    case 'TransferRematched':
      return rematched(transfer, event.data.transactionId);
    default:
      return assertNever(event);
  }
};

const rematched = (transfer: Queued, transactionId: string | null): Queued => {
  const { matchedTransactionId: before, unmatched } = transfer;
  const known = before === null ? unmatched : [...unmatched, before];
  return { ...transfer, matchedTransactionId: transactionId, unmatched: known.filter((id) => id !== transactionId) };
};

export const evolve = (transfer: Transfer, event: TransferEvent): Transfer => {
  if (event.type === 'TransferQueued') {
    const untouched = { startedAt: null, lostAt: null, declared: null, endedAt: null };
    const unseen = { matchedTransactionId: null, unmatched: [] };
    return { status: 'queued', order: event.data.order, attempt: 0, requests: [], ...untouched, ...unseen };
  }
  return transfer.status === 'none' ? transfer : evolveQueued(transfer, event);
};
