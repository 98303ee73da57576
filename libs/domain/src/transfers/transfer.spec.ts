import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { FailureCode, Order, TransferEvent } from './transfer.events.ts';
import { transfer, type TransferCommand, type TransferStatus } from './transfer.ts';

const at = '2026-03-01T10:00:00.000Z';
const its = { transferId: 't-1', at };
const order: Order = {
  amount: { currency: 'USD', value: '25.00' },
  connectionId: 'c-1',
  institutionId: 'sandbox-instant',
  sourceAccountId: 'a-1',
  destinationAccountId: 'a-2',
  clientReference: 'invoice 7',
  memo: null,
  executionDate: null,
  skipPreflight: false,
};
const failure: FailureCode = 'insufficient_funds';

const queue = (wanted: Order): TransferCommand => ({ type: 'QueueTransfer', ...its, order: wanted });
const start: TransferCommand = { type: 'StartExecution', ...its };
const loseOutcome: TransferCommand = { type: 'RecordLostOutcome', ...its };
const complete: TransferCommand = { type: 'RecordCompletion', ...its };
const fail: TransferCommand = { type: 'RecordFailure', ...its, failure };
const refuse: TransferCommand = { type: 'RefuseExecution', ...its, failure };
const decline: TransferCommand = { type: 'RecordDecline', ...its, failure };
const giveBack: TransferCommand = { type: 'RecordReturn', ...its, failure };
const wait: TransferCommand = { type: 'RecordApprovalWait', ...its };

const queued: TransferEvent = { type: 'TransferQueued', data: { order, queuedAt: at } };
const started: TransferEvent = { type: 'TransferExecutionStarted', data: { attempt: 1, startedAt: at } };
const waiting: TransferEvent = { type: 'TransferAwaitsApproval', data: { awaitingSince: at } };
const lost: TransferEvent = { type: 'TransferOutcomeLost', data: { lostAt: at } };
const completed: TransferEvent = { type: 'TransferCompleted', data: { executedValue: '25.00', completedAt: at } };
const failed: TransferEvent = { type: 'TransferFailed', data: { failure, failedAt: at } };
const cancelled: TransferEvent = { type: 'TransferCancelled', data: { failure, cancelledAt: at } };
const returned: TransferEvent = { type: 'TransferReturned', data: { failure, returnedAt: at } };
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
