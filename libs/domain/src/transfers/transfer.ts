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

/** `at`: when the service received the command or the bank's answer, UTC. */
export type TransferCommand = Readonly<{ transferId: string; at: string }> &
  (Readonly<{ type: 'QueueTransfer'; order: Order }> | TransferStep);

export type TransferStatus =
  'queued' | 'executing' | 'pending_bank_approval' | 'unknown' | 'completed' | 'failed' | 'cancelled' | 'returned';

export type TransferRejection =
  Readonly<{ code: 'other_order' | 'not_found' }> | Readonly<{ code: 'wrong_status'; status: TransferStatus }>;

export type Transfer =
  | Readonly<{ status: 'none' }>
  | Readonly<{
      status: TransferStatus;
      order: Order;
      attempt: number;
      /** When the newest attempt started; null before the first. */
      startedAt: string | null;
      /** When the outcome was lost; null while it was not. */
      lostAt: string | null;
    }>;

type Queued = Exclude<Transfer, { status: 'none' }>;
type TransferDecision = Decision<TransferEvent, TransferRejection>;
type CommandOf<T extends TransferCommand['type']> = Extract<TransferCommand, { type: T }>;
type Outcome = CommandOf<'RecordCompletion' | 'RecordFailure' | 'RecordDecline' | 'RecordReturn'>;

/** Statuses in which the bank may have the order, and its answer is news. */
const open: readonly TransferStatus[] = ['executing', 'pending_bank_approval', 'unknown'];

const decide = (transfer: Transfer, command: TransferCommand): TransferDecision => {
  if (command.type === 'QueueTransfer') return queue(transfer, command);
  if (transfer.status === 'none') return reject({ code: 'not_found' });
  switch (command.type) {
    case 'StartExecution':
      // Not repeatable: a second worker must be turned away, or the money moves twice.
      if (transfer.status !== 'queued') return wrongStatus(transfer);
      return accept({
        type: 'TransferExecutionStarted',
        data: { attempt: transfer.attempt + 1, startedAt: command.at },
      });
    case 'RefuseExecution':
      // Whoever believes that it is still queued may be late: the bank has the order, and only it can tell.
      if (transfer.status !== 'queued') return wrongStatus(transfer);
      return accept(failed(command));
    case 'RecordApprovalWait':
      if (transfer.status === 'pending_bank_approval' || !open.includes(transfer.status)) return accept();
      return accept({ type: 'TransferAwaitsApproval', data: { awaitingSince: command.at } });
    case 'RecordLostOutcome':
      if (transfer.status !== 'executing' && !isLostAhead(transfer, command.at)) return accept();
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
  if (!open.includes(transfer.status)) return accept();
  switch (command.type) {
    case 'RecordCompletion':
      return accept(completed(transfer, at));
    case 'RecordFailure':
      return accept(failed(command));
    case 'RecordDecline':
      return accept({ type: 'TransferCancelled', data: { failure: command.failure, cancelledAt: at } });
    default:
      return assertNever(command);
  }
};

const failed = ({ failure, at }: Readonly<{ failure: FailureCode; at: string }>): TransferEvent => ({
  type: 'TransferFailed',
  data: { failure, failedAt: at },
});

const recordReturn = (transfer: Queued, { failure, at }: CommandOf<'RecordReturn'>): TransferDecision => {
  const returned: TransferEvent = { type: 'TransferReturned', data: { failure, returnedAt: at } };
  if (transfer.status === 'completed') return accept(returned);
  // It was executed before it came back, whether or not its execution was heard of.
  return open.includes(transfer.status) ? accept(completed(transfer, at), returned) : accept();
};

const completed = ({ order }: Queued, completedAt: string): TransferEvent => ({
  type: 'TransferCompleted',
  data: { executedValue: order.amount.value, completedAt },
});

const statuses: Record<Exclude<TransferEvent['type'], 'TransferQueued'>, TransferStatus> = {
  TransferExecutionStarted: 'executing',
  TransferAwaitsApproval: 'pending_bank_approval',
  TransferOutcomeLost: 'unknown',
  TransferCompleted: 'completed',
  TransferFailed: 'failed',
  TransferCancelled: 'cancelled',
  TransferReturned: 'returned',
};

const evolve = (transfer: Transfer, event: TransferEvent): Transfer => {
  if (event.type === 'TransferQueued') {
    return { status: 'queued', order: event.data.order, attempt: 0, startedAt: null, lostAt: null };
  }
  if (transfer.status === 'none') return transfer;
  const moved = { ...transfer, status: statuses[event.type] };
  if (event.type === 'TransferExecutionStarted') return { ...moved, ...event.data };
  if (event.type === 'TransferOutcomeLost') return { ...moved, lostAt: event.data.lostAt };
  return moved;
};

export const transfer: Decider<Transfer, TransferCommand, TransferEvent, TransferRejection> = {
  initial: { status: 'none' },
  decide,
  evolve,
};
