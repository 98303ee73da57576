import { accept, assertNever, reject, type Decider } from '@causeway/event-sourcing';
import { sameOrder } from './order.ts';
import type { FailureCode, TransferEvent } from './transfer.events.ts';
import { completed, match, open, rematch, wrongStatus } from './transfer.matching.ts';
import {
  evolve,
  initial,
  type CommandOf,
  type Queued,
  type Transfer,
  type TransferCommand,
  type TransferDecision,
  type TransferRejection,
  type TransferStep,
} from './transfer.state.ts';

type StepCommand = CommandOf<TransferStep['type']>;
type Outcome = CommandOf<'RecordCompletion' | 'RecordFailure' | 'RecordDecline' | 'RecordReturn'>;

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
    case 'DeclareOutcome':
      return declare(transfer, command);
    case 'RematchTransaction':
      return rematch(transfer, command);
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

/** An operator's word on what the bank has not said. It counts once the bank was asked again and has no word of it. */
const declare = (transfer: Queued, command: CommandOf<'DeclareOutcome'>): TransferDecision => {
  const { outcome, reason, operator, at } = command;
  if (transfer.status !== 'unknown') return wrongStatus(transfer);
  if (transfer.declared === outcome) return accept();
  const { institutionId } = transfer.order;
  return accept({
    type: 'TransferOutcomeDeclared',
    data: { outcome, institutionId, declaredAt: at, reason, operator },
  });
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
      if (transfer.attempt !== command.attempt || !isLost(transfer, command.at)) return accept();
      return accept({ type: 'TransferOutcomeLost', data: { lostAt: command.at } });
    case 'RecordSilence':
      return isNews(transfer, command) ? asDeclared(transfer, command) : accept();
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

/**
 * It counts as lost from now on. Where it is lost already, that is so when the clock was set back since, or it would be
 * waited for until the clock is there; and when the bank has the order at work, whatever an operator declared.
 */
const isLost = ({ status, lostAt, declared }: Queued, at: string): boolean =>
  status === 'executing' || (status === 'unknown' && (declared !== null || (lostAt !== null && lostAt > at)));

/** The bank was asked, and has no word of it. */
const asDeclared = (transfer: Queued, { at }: StepCommand): TransferDecision => {
  switch (transfer.declared) {
    case 'sent':
      return accept(completed(transfer, at));
    case 'not_sent':
      return accept(failed({ failure: 'bank_error', at }));
    default:
      return accept();
  }
};

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

export const transfer: Decider<Transfer, TransferCommand, TransferEvent, TransferRejection> = {
  initial,
  decide,
  evolve,
};
