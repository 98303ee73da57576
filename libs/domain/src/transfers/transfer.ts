import { accept, assertNever, reject, type Decider, type Decision } from '@causeway/event-sourcing';
import { sameOrder } from './order.ts';
import type { FailureCode, Order, TransferEvent } from './transfer.events.ts';

/** What is recorded of a transfer's way: that it is about to be sent, and what became of it. */
export type TransferStep =
  | Readonly<{ type: 'StartExecution' }>
  /** Before anything was sent: what the order needs is not there. */
  | Readonly<{ type: 'RefuseExecution'; failure: FailureCode }>
  | Readonly<{ type: 'RecordApprovalWait' }>
  | Readonly<{ type: 'RecordLostOutcome' }>
  | Readonly<{ type: 'RecordCompletion' }>
  | Readonly<{ type: 'RecordFailure'; failure: FailureCode }>
  | Readonly<{ type: 'RecordDecline'; failure: FailureCode }>
  | Readonly<{ type: 'RecordReturn'; failure: FailureCode }>;

/** What a client or the bank's statement asks for. `requestId`: the same again is the same request. */
type Wish =
  | Readonly<{ type: 'QueueTransfer'; order: Order }>
  | Readonly<{ type: 'RetryTransfer'; requestId: string }>
  | Readonly<{ type: 'CancelTransfer'; requestId: string }>
  | Readonly<{ type: 'MatchTransaction'; transactionId: string }>;

/**
 * `at`: when the service received the command or the bank's answer, UTC. `attempt`: the one that a step is of. What
 * comes late of an earlier one says nothing of this one.
 */
export type TransferCommand = Readonly<{ transferId: string; at: string }> &
  (Wish | (TransferStep & Readonly<{ attempt: number }>));

export type TransferStatus =
  'queued' | 'executing' | 'pending_bank_approval' | 'unknown' | 'completed' | 'failed' | 'cancelled' | 'returned';

export type TransferRejection =
  Readonly<{ code: 'other_order' | 'not_found' }> | Readonly<{ code: 'wrong_status'; status: TransferStatus }>;

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
      /** When the first outcome of the newest attempt came; null before. */
      endedAt: string | null;
      matchedTransactionId: string | null;
    }>;

type Queued = Exclude<Transfer, { status: 'none' }>;
type TransferDecision = Decision<TransferEvent, TransferRejection>;
type CommandOf<T extends TransferCommand['type']> = Extract<TransferCommand, { type: T }>;
type StepCommand = CommandOf<TransferStep['type']>;
type Outcome = CommandOf<'RecordCompletion' | 'RecordFailure' | 'RecordDecline' | 'RecordReturn'>;

/** Statuses in which the bank may have the order, and its answer is news. */
const open: readonly TransferStatus[] = ['executing', 'pending_bank_approval', 'unknown'];

const decide = (transfer: Transfer, command: TransferCommand): TransferDecision => {
  if (command.type === 'QueueTransfer') return queue(transfer, command);
  if (transfer.status === 'none') return reject({ code: 'not_found' });
  switch (command.type) {
    case 'RetryTransfer':
      return retry(transfer, command);
    case 'CancelTransfer':
      return cancel(transfer, command);
    case 'MatchTransaction':
      return match(transfer, command);
    default:
      return take(transfer, command);
  }
};

const retry = (transfer: Queued, { requestId, at }: CommandOf<'RetryTransfer'>): TransferDecision => {
  if (transfer.requests.includes(requestId)) return accept();
  if (transfer.status !== 'failed') return wrongStatus(transfer);
  const { institutionId } = transfer.order;
  return accept({
    type: 'TransferRetried',
    data: { attempt: transfer.attempt + 1, institutionId, requestId, retriedAt: at },
  });
};

const cancel = (transfer: Queued, { requestId, at }: CommandOf<'CancelTransfer'>): TransferDecision => {
  if (transfer.requests.includes(requestId)) return accept();
  if (transfer.status !== 'queued') return wrongStatus(transfer);
  const failure = 'cancelled_by_caller';
  return accept({ type: 'TransferCancelled', data: { failure, requestId, cancelledAt: at } });
};

/** What the statement shows was paid, whether or not the bank has said so. The first row of it counts. */
const match = (transfer: Queued, { transactionId, at }: CommandOf<'MatchTransaction'>): TransferDecision => {
  if (transfer.matchedTransactionId !== null) return accept();
  const matched: TransferEvent = { type: 'TransferMatched', data: { transactionId, matchedAt: at } };
  if (transfer.status === 'completed' || transfer.status === 'returned') return accept(matched);
  return open.includes(transfer.status) ? accept(completed(transfer, at), matched) : accept();
};

/** The next step of an attempt. */
const take = (transfer: Queued, command: StepCommand): TransferDecision => {
  switch (command.type) {
    case 'StartExecution':
      // Not repeatable: a second worker must be turned away, or the money moves twice.
      if (!isAwaiting(transfer, command)) return wrongStatus(transfer);
      return accept({ type: 'TransferExecutionStarted', data: { attempt: command.attempt, startedAt: command.at } });
    case 'RefuseExecution':
      // Whoever believes that it is still queued may be late: the bank has the order, and only it can tell.
      return isAwaiting(transfer, command) ? accept(failed(command)) : wrongStatus(transfer);
    case 'RecordApprovalWait':
      if (transfer.status === 'pending_bank_approval' || !isNews(transfer, command)) return accept();
      return accept({ type: 'TransferAwaitsApproval', data: { awaitingSince: command.at } });
    case 'RecordLostOutcome':
      if (transfer.status !== 'executing' && !isLostAhead(transfer, command.at)) return accept();
      if (transfer.attempt !== command.attempt) return accept();
      return accept({ type: 'TransferOutcomeLost', data: { lostAt: command.at } });
    case 'RecordCompletion':
    case 'RecordFailure':
    case 'RecordDecline':
    case 'RecordReturn':
      return recordOutcome(transfer, command);
    default:
      return assertNever(command);
  }
};

const isAwaiting = ({ status, attempt }: Queued, command: StepCommand): boolean =>
  status === 'queued' && attempt === command.attempt;

const isNews = ({ status, attempt }: Queued, command: StepCommand): boolean =>
  open.includes(status) && attempt === command.attempt;

/** Before it was sent anew, the bank said that it had paid the order after all. */
const wasPaidBefore = ({ status, attempt }: Queued, command: StepCommand): boolean =>
  status === 'queued' && command.attempt < attempt;

/** The clock was set back since: the outcome counts as lost from now on, or it would be waited for until the clock is there. */
const isLostAhead = ({ status, lostAt }: Queued, at: string): boolean =>
  status === 'unknown' && lostAt !== null && lostAt > at;

const wrongStatus = ({ status }: Queued): TransferDecision => reject({ code: 'wrong_status', status });

const queue = (transfer: Transfer, { order, at }: CommandOf<'QueueTransfer'>): TransferDecision => {
  if (transfer.status === 'none') return accept({ type: 'TransferQueued', data: { order, queuedAt: at } });
  return sameOrder(transfer.order, order) ? accept() : reject({ code: 'other_order' });
};

/** The first answer counts, and only one can follow it: money that was paid may come back. */
const recordOutcome = (transfer: Queued, command: Outcome): TransferDecision => {
  const { at } = command;
  if (command.type === 'RecordReturn') return recordReturn(transfer, command);
  if (command.type === 'RecordCompletion' && wasPaidBefore(transfer, command)) return accept(completed(transfer, at));
  if (!isNews(transfer, command)) return accept();
  switch (command.type) {
    case 'RecordCompletion':
      return accept(completed(transfer, at));
    case 'RecordFailure':
      return accept(failed(command));
    case 'RecordDecline':
      return accept({
        type: 'TransferCancelled',
        data: { failure: command.failure, requestId: null, cancelledAt: at },
      });
    default:
      return assertNever(command);
  }
};

const failed = ({ failure, at }: Readonly<{ failure: FailureCode; at: string }>): TransferEvent => ({
  type: 'TransferFailed',
  data: { failure, failedAt: at },
});

const recordReturn = (transfer: Queued, command: CommandOf<'RecordReturn'>): TransferDecision => {
  const { failure, at } = command;
  const returned: TransferEvent = { type: 'TransferReturned', data: { failure, returnedAt: at } };
  if (transfer.status === 'completed') return accept(returned);
  // It was executed before it came back, whether or not its execution was heard of.
  const isExecuted = isNews(transfer, command) || wasPaidBefore(transfer, command);
  return isExecuted ? accept(completed(transfer, at), returned) : accept();
};

const completed = ({ order }: Queued, completedAt: string): TransferEvent => ({
  type: 'TransferCompleted',
  data: { executedValue: order.amount.value, completedAt },
});

const evolveQueued = (transfer: Queued, event: Exclude<TransferEvent, { type: 'TransferQueued' }>): Transfer => {
  switch (event.type) {
    case 'TransferRetried': {
      const { attempt, requestId } = event.data;
      const requests = [...transfer.requests, requestId];
      const untouched = { startedAt: null, lostAt: null, endedAt: null };
      return { ...transfer, ...untouched, status: 'queued', attempt, requests };
    }
    case 'TransferExecutionStarted':
      return { ...transfer, status: 'executing', startedAt: event.data.startedAt };
    case 'TransferAwaitsApproval':
      return { ...transfer, status: 'pending_bank_approval' };
    case 'TransferOutcomeLost':
      return { ...transfer, status: 'unknown', lostAt: event.data.lostAt };
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
    default:
      return assertNever(event);
  }
};

const evolve = (transfer: Transfer, event: TransferEvent): Transfer => {
  if (event.type === 'TransferQueued') {
    const untouched = { startedAt: null, lostAt: null, endedAt: null, matchedTransactionId: null };
    return { status: 'queued', order: event.data.order, attempt: 0, requests: [], ...untouched };
  }
  return transfer.status === 'none' ? transfer : evolveQueued(transfer, event);
};

export const transfer: Decider<Transfer, TransferCommand, TransferEvent, TransferRejection> = {
  initial: { status: 'none' },
  decide,
  evolve,
};
