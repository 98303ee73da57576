import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { Order, TransferEvent } from './transfer.events.ts';
import {
  at,
  cancelled,
  completed,
  failed,
  failure,
  lost,
  order,
  queued,
  returned,
  started,
  waiting,
} from './testing/transfers.ts';
import type { TransferCommand, TransferStatus } from './transfer.state.ts';
import { transfer } from './transfer.ts';

const its = { transferId: 't-1', at, attempt: 0 };

const queue = (wanted: Order): TransferCommand => ({ type: 'QueueTransfer', ...its, order: wanted });
const start: TransferCommand = { type: 'StartExecution', ...its };
const loseOutcome: TransferCommand = { type: 'RecordLostOutcome', ...its };
const complete: TransferCommand = { type: 'RecordCompletion', ...its };
const fail: TransferCommand = { type: 'RecordFailure', ...its, failure };
const refuse: TransferCommand = { type: 'RefuseExecution', ...its, failure };
const decline: TransferCommand = { type: 'RecordDecline', ...its, failure };
const giveBack: TransferCommand = { type: 'RecordReturn', ...its, failure };
const wait: TransferCommand = { type: 'RecordApprovalWait', ...its };

const wrongStatus = (status: TransferStatus) => ({ rejected: { code: 'wrong_status', status } }) as const;

describe('an order', () =>
  deciderSpec(transfer, {
    'is queued once': { given: [], when: queue(order), then: [queued] },
    'given again, however late, records nothing': { given: [queued, started, completed], when: queue(order), then: [] },
    'with more zeros is the same order': {
      given: [queued],
      when: queue({ ...order, amount: { currency: 'USD', value: '25' } }),
      then: [],
    },
    'of another amount is refused': {
      given: [queued],
      when: queue({ ...order, amount: { currency: 'USD', value: '25.01' } }),
      then: { rejected: { code: 'other_order' } },
    },
  }));

describe('execution', () =>
  deciderSpec(transfer, {
    'is recorded before the bank is called': { given: [queued], when: start, then: [started] },
    'is refused before that, where what it needs is not there': { given: [queued], when: refuse, then: [failed] },
    'that has begun is not refused by who comes late': {
      given: [queued, started],
      when: refuse,
      then: wrongStatus('executing'),
    },
    'whose outcome is lost is not refused by who comes late': {
      given: [queued, started, lost],
      when: refuse,
      then: wrongStatus('unknown'),
    },
    'turns a second worker away': { given: [queued, started], when: start, then: wrongStatus('executing') },
    'of an order whose outcome is lost is never started again': {
      given: [queued, started, lost],
      when: start,
      then: wrongStatus('unknown'),
    },
    'of an order that was executed is never started again': {
      given: [queued, started, completed],
      when: start,
      then: wrongStatus('completed'),
    },
    'of an order that failed is never started again': {
      given: [queued, started, failed],
      when: start,
      then: wrongStatus('failed'),
    },
    'of nothing is refused': { given: [], when: start, then: { rejected: { code: 'not_found' } } },
  }));

describe('an outcome', () =>
  deciderSpec(transfer, {
    'may be success': { given: [queued, started], when: complete, then: [completed] },
    'may be failure': { given: [queued, started], when: fail, then: [failed] },
    'may be the approver’s no': { given: [queued, started, waiting], when: decline, then: [cancelled] },
    'may be lost': { given: [queued, started], when: loseOutcome, then: [lost] },
    'that was lost at a time that is still to come was lost now': {
      given: [queued, started, { type: 'TransferOutcomeLost', data: { lostAt: '2027-01-01T00:00:00.000Z' } }],
      when: loseOutcome,
      then: [lost],
    },
    'can only be lost while the order executes': { given: [queued, started, completed], when: loseOutcome, then: [] },
    'may become known after it was lost': { given: [queued, started, lost], when: complete, then: [completed] },
    'may wait for an approval': { given: [queued, started], when: wait, then: [waiting] },
    'waits for an approval once': { given: [queued, started, waiting], when: wait, then: [] },
    'may turn out to wait for an approval': { given: [queued, started, lost], when: wait, then: [waiting] },
    'is heard once': { given: [queued, started, completed], when: complete, then: [] },
    'does not change: what was paid has not failed': { given: [queued, started, completed], when: fail, then: [] },
    'does not change: what failed was not paid': { given: [queued, started, failed], when: complete, then: [] },
    'before the bank was called can only be failure': { given: [queued], when: complete, then: [] },
    'of what was not begun is no news': { given: [queued], when: fail, then: [] },
  }));

describe('returned funds', () =>
  deciderSpec(transfer, {
    'come back after they went': { given: [queued, started, completed], when: giveBack, then: [returned] },
    'went before they came back, though nobody heard of it': {
      given: [queued, started, lost],
      when: giveBack,
      then: [completed, returned],
    },
    'come back once': { given: [queued, started, completed, returned], when: giveBack, then: [] },
    'cannot come back from where they never went': { given: [queued, started, failed], when: giveBack, then: [] },
  }));

const retry = (requestId = 'r-1'): TransferCommand => ({ type: 'RetryTransfer', transferId: 't-1', at, requestId });
const second = { ...its, attempt: 1 };
const retried: TransferEvent = {
  type: 'TransferRetried',
  data: { attempt: 1, institutionId: 'sandbox-instant', requestId: 'r-1', retriedAt: at },
};
const restarted: TransferEvent = { type: 'TransferExecutionStarted', data: { attempt: 1, startedAt: at } };
const oneFailed = [queued, started, failed];

describe('a retry', () =>
  deciderSpec(transfer, {
    'queues what failed once more': { given: oneFailed, when: retry(), then: [retried] },
    'asked for by the same request is the same retry': { given: [...oneFailed, retried], when: retry(), then: [] },
    'asked for again once it has failed, too, by the same request is the same retry': {
      given: [...oneFailed, retried, restarted, failed],
      when: retry(),
      then: [],
    },
    'of another request waits for the failure of the one before': {
      given: [...oneFailed, retried],
      when: retry('r-2'),
      then: wrongStatus('queued'),
    },
    'has a number of its own': {
      given: [...oneFailed, retried, restarted, failed],
      when: retry('r-2'),
      then: [{ ...retried, data: { ...retried.data, attempt: 2, requestId: 'r-2' } }],
    },
    'of what is paid is refused': {
      given: [queued, started, completed],
      when: retry(),
      then: wrongStatus('completed'),
    },
    'of what may be paid is refused': { given: [queued, started, lost], when: retry(), then: wrongStatus('unknown') },
    'of what was cancelled is refused': { given: [queued, cancelled], when: retry(), then: wrongStatus('cancelled') },
    'is executed under its own number': {
      given: [...oneFailed, retried],
      when: { type: 'StartExecution', ...second },
      then: [restarted],
    },
    'is not begun by a worker of the attempt before': {
      given: [...oneFailed, retried],
      when: start,
      then: wrongStatus('queued'),
    },
    'is not failed by what comes late of the attempt before': {
      given: [...oneFailed, retried, restarted],
      when: fail,
      then: [],
    },
    'is not lost by what comes late of the attempt before': {
      given: [...oneFailed, retried, restarted],
      when: loseOutcome,
      then: [],
    },
    'is not needed where the bank has paid after all': {
      given: [...oneFailed, retried],
      when: complete,
      then: [completed],
    },
    'is not needed where it was paid after all, and came back': {
      given: [...oneFailed, retried],
      when: giveBack,
      then: [completed, returned],
    },
  }));

const cancel: TransferCommand = { type: 'CancelTransfer', transferId: 't-1', at, requestId: 'c-1' };
const byCaller: TransferEvent = {
  type: 'TransferCancelled',
  data: { failure: 'cancelled_by_caller', requestId: 'c-1', cancelledAt: at },
};

describe('a cancellation', () =>
  deciderSpec(transfer, {
    'ends what was not sent': { given: [queued], when: cancel, then: [byCaller] },
    'by the same request is the same one': { given: [queued, byCaller], when: cancel, then: [] },
    'of what is cancelled already is refused': {
      given: [queued, byCaller],
      when: { ...cancel, requestId: 'c-2' },
      then: wrongStatus('cancelled'),
    },
    'comes too late for what is being sent': {
      given: [queued, started],
      when: cancel,
      then: wrongStatus('executing'),
    },
    'leaves nothing to execute': { given: [queued, byCaller], when: start, then: wrongStatus('cancelled') },
    'of nothing is refused': { given: [], when: cancel, then: { rejected: { code: 'not_found' } } },
  }));
