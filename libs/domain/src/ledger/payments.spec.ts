import type { LedgerEvent, Seen } from './ledger.events.ts';
import { paymentIn } from './payments.ts';
import { transactionContent } from './statement.ts';

const reference = '0198c1a2-7b3c-7d4e-8f50-123456789abc';
const seen = (amount: string, customerReference: string | null): Seen => ({
  ...{ transactionId: 'x-1', bankId: null, day: '2026-03-01', valueDate: null, typeCode: null },
  content: transactionContent({ amount, currency: 'USD', description: 'd', rail: 'wire', customerReference }),
});
const owner = { entityId: 'e-1', connectionId: 'c-1' };
const recorded = (data: Seen, status: 'pending' | 'posted' = 'posted'): LedgerEvent => ({
  type: 'TransactionRecorded',
  data: { ...owner, ...data, status },
});
const previous = { status: 'pending', postedDate: null, amount: '-5.00' } as const;

test.each<[string, LedgerEvent, string]>([
  ['a debit that carries a reference', recorded(seen('-5.00', reference)), reference],
  ['a debit of a retry', recorded(seen('-5.00', `${reference}.2`)), `${reference}.2`],
  [
    'a pending debit that was posted',
    { type: 'TransactionPosted', data: { ...seen('-5.00', reference), previous } },
    reference,
  ],
])('%s is a payment', (_, event, named) => {
  expect(paymentIn(event)).toEqual({ transactionId: 'x-1', reference: named });
});

test.each<[string, LedgerEvent]>([
  ['a credit: the other side, or money that came back', recorded(seen('5.00', reference))],
  ['a pending debit', recorded(seen('-5.00', reference), 'pending')],
  ['a debit with a reference of somebody else’s', recorded(seen('-5.00', 'INV-2026-7'))],
  ['a debit without a reference', recorded(seen('-5.00', null))],
  ['a debit that vanished', { type: 'TransactionCancelled', data: { transactionId: 'x-1' } }],
])('%s is none', (_, event) => {
  expect(paymentIn(event)).toBeUndefined();
});
