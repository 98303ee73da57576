import { deciderSpec } from '@causeway/event-sourcing/testing';
import { at, completed, failed, failure, lost, queued, said, started, waiting } from './testing/transfers.ts';
import type { DeclaredOutcome, TransferEvent } from './transfer.events.ts';
import type { TransferCommand, TransferStatus } from './transfer.state.ts';
import { transfer } from './transfer.ts';

const its = { transferId: 't-1', at, attempt: 0 };
const declare = (outcome: DeclaredOutcome): TransferCommand => ({ type: 'DeclareOutcome', outcome, ...its, ...said });
const declared = (outcome: DeclaredOutcome): TransferEvent => ({
  type: 'TransferOutcomeDeclared',
  data: { outcome, institutionId: 'sandbox-instant', declaredAt: at, ...said },
});
const silence: TransferCommand = { type: 'RecordSilence', ...its };
const loseOutcome: TransferCommand = { type: 'RecordLostOutcome', ...its };
const notTaken: TransferEvent = { type: 'TransferFailed', data: { failure: 'bank_error', failedAt: at } };
const retried: TransferEvent = {
  type: 'TransferRetried',
  data: { attempt: 1, institutionId: 'sandbox-instant', requestId: 'r-1', retriedAt: at },
};
const restarted: TransferEvent = { type: 'TransferExecutionStarted', data: { attempt: 1, startedAt: at } };
const unknown = [queued, started, lost];
const wrongStatus = (status: TransferStatus) => ({ rejected: { code: 'wrong_status', status } }) as const;

describe('an operator’s word on an outcome', () =>
  deciderSpec(transfer, {
    'is kept where the outcome is unknown': { given: unknown, when: declare('sent'), then: [declared('sent')] },
    'given again is the same word': { given: [...unknown, declared('sent')], when: declare('sent'), then: [] },
    'is the last one that was given': {
      given: [...unknown, declared('sent')],
      when: declare('not_sent'),
      then: [declared('not_sent')],
    },
    'is not taken on what was not sent yet': { given: [queued], when: declare('sent'), then: wrongStatus('queued') },
    'is not taken while the order is being sent': {
      given: [queued, started],
      when: declare('not_sent'),
      then: wrongStatus('executing'),
    },
    'is not taken on what the bank’s approver decides': {
      given: [...unknown, waiting],
      when: declare('sent'),
      then: wrongStatus('pending_bank_approval'),
    },
    'is not taken on what has ended': {
      given: [...unknown, completed],
      when: declare('not_sent'),
      then: wrongStatus('completed'),
    },
    'is not taken on what is not there': {
      given: [],
      when: declare('sent'),
      then: { rejected: { code: 'not_found' } },
    },
    'that it was sent counts once the bank has no word of it': {
      given: [...unknown, declared('sent')],
      when: silence,
      then: [completed],
    },
    'that it was not sent counts once the bank has no word of it': {
      given: [...unknown, declared('not_sent')],
      when: silence,
      then: [notTaken],
    },
    'yields to what the bank knows': {
      given: [...unknown, declared('sent')],
      when: { type: 'RecordFailure', ...its, failure },
      then: [failed],
    },
    'counts no more once the bank has the order at work': {
      given: [...unknown, declared('not_sent')],
      when: loseOutcome,
      then: [lost],
    },
    'that counts no more is not believed later': {
      given: [...unknown, declared('not_sent'), lost],
      when: silence,
      then: [],
    },
    'says nothing of the next attempt': {
      given: [...unknown, declared('not_sent'), notTaken, retried, restarted, lost],
      when: { ...silence, attempt: 1 },
      then: [],
    },
  }));

describe('a bank without a word', () =>
  deciderSpec(transfer, {
    'leaves open what nobody has declared': { given: unknown, when: silence, then: [] },
  }));
