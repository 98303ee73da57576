import type { PaymentState } from '@causeway/bank-connectors';
import { stepFrom } from './bank-answer.ts';

const at = '2026-03-01T10:00:00.000Z';
const from = (state: PaymentState) => stepFrom(state);
const said = { code: 'insufficient_funds', message: 'Too little.' };

test.each<[string, PaymentState, object]>([
  [
    'an execution completes the transfer',
    { status: 'executed', bankReference: 'IT1', executedAt: at },
    { type: 'RecordCompletion', bankReference: 'IT1' },
  ],
  ['a wait is recorded', { status: 'awaitingApproval' }, { type: 'RecordApprovalWait' }],
  ['a failure has the bank’s reason', { status: 'failed', ...said }, { type: 'RecordFailure', failure: said }],
  [
    'a reason we have no word for is the bank’s own',
    { status: 'failed', code: 'E4711', message: 'No.' },
    { type: 'RecordFailure', failure: { code: 'rejected_by_bank', message: 'No.' } },
  ],
  [
    'a declined approval cancels',
    { status: 'declined', code: 'no', message: 'No.' },
    { type: 'RecordDecline', failure: { code: 'approval_declined' } },
  ],
  [
    'money that came back is returned',
    { status: 'returned', code: 'returned_by_beneficiary', message: 'Back.' },
    { type: 'RecordReturn', failure: { code: 'returned_by_beneficiary' } },
  ],
])('%s', (_, state, step) => {
  expect(from(state)).toMatchObject(step);
});

test.each<[string, PaymentState]>([
  ['an order that the bank has taken and not dealt with', { status: 'received' }],
  ['an order that the bank has never seen', { status: 'unknown' }],
])('%s moves nothing', (_, state) => {
  expect(from(state)).toBeUndefined();
});
