import { preflight, type Checked, type PayableAccount } from './preflight.ts';

const account: PayableAccount = {
  id: 'a-1',
  connectionId: 'c-1',
  type: 'checking',
  currency: 'USD',
  status: 'open',
  currentBalance: '100.00',
  availableBalance: '90.00',
};
const order: Checked = {
  source: account,
  destination: { ...account, id: 'a-2', type: 'savings' },
  amount: { currency: 'USD', value: '90' },
  takesPayments: true,
};
const source = (change: Partial<PayableAccount>): Checked => ({ ...order, source: { ...account, ...change } });
const destination = (change: Partial<PayableAccount>): Checked => ({
  ...order,
  destination: { ...account, id: 'a-2', ...change },
});

test.each([
  ['an order that the funds just cover', order],
  ['an account whose balance the bank does not say', source({ currentBalance: null, availableBalance: null })],
  ['an account of which only the current balance is known', source({ availableBalance: null })],
  ['a payment to a credit card', destination({ type: 'creditCard' })],
])('%s passes', (_, checked) => {
  expect(preflight(checked)).toBeUndefined();
});

test.each([
  ['an account that is to pay itself', destination({ id: 'a-1' }), 'destination.accountId'],
  ['a closed paying account', source({ status: 'closed' }), 'sourceAccountId'],
  ['a closed receiving account', destination({ status: 'closed' }), 'destination.accountId'],
  ['a paying account in another currency', source({ currency: 'EUR' }), 'amount.currency'],
  ['a receiving account in another currency', destination({ currency: 'EUR' }), 'amount.currency'],
  ['a receiving account of another connection', destination({ connectionId: 'c-2' }), 'destination.accountId'],
  ['an institution that takes no orders', { ...order, takesPayments: false }, 'sourceAccountId'],
  ['a card that is to pay', source({ type: 'creditCard' }), 'sourceAccountId'],
  ['too little available', { ...order, amount: { currency: 'USD', value: '90.01' } }, 'amount.value'],
])('%s is refused, and named', (_, checked, path) => {
  expect(preflight(checked)?.path).toBe(path);
});
