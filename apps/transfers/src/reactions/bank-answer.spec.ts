import type { PaymentState } from '@causeway/bank-connectors';
import { stepFrom } from './bank-answer.ts';

const from = (state: PaymentState) => stepFrom(state);

test.each<[string, PaymentState, object]>([
  ['an execution completes the transfer', { status: 'executed' }, { type: 'RecordCompletion' }],
  ['a wait is recorded', { status: 'awaitingApproval' }, { type: 'RecordApprovalWait' }],
  [
    'a failure has the bank’s reason',
    { status: 'failed', code: 'insufficient_funds' },
    { type: 'RecordFailure', failure: 'insufficient_funds' },
  ],
  [
    'a reason that we have no word for is a rejection',
    { status: 'failed', code: 'E4711' },
    { type: 'RecordFailure', failure: 'rejected_by_bank' },
  ],
  [
    'a declined approval cancels',
    { status: 'declined', code: 'no' },
    { type: 'RecordDecline', failure: 'approval_declined' },
  ],
  [
    'money that came back is returned',
    { status: 'returned', code: 'returned_by_beneficiary' },
    { type: 'RecordReturn', failure: 'returned_by_beneficiary' },
  ],
])('%s', (_, state, step) => {
  expect(from(state)).toEqual(step);
});

test.each<[string, PaymentState]>([
  ['an order that the bank has taken and not dealt with', { status: 'received' }],
  ['an order that the bank has never seen', { status: 'unknown' }],
])('%s moves nothing', (_, state) => {
  expect(from(state)).toBeUndefined();
});
