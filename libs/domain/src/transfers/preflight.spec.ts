import type { Payee } from './payee.ts';
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
const amount = { currency: 'USD', value: '90' };
const good: Checked = {
  order: {
    ...{ amount, sourceAccountId: 'a-1', transferType: 'internal', skipPreflight: false },
    destination: { type: 'account', accountId: 'a-2' },
  },
  source: account,
  destination: { ...account, id: 'a-2', type: 'savings' },
  rails: ['internal', 'ach'],
};
const source = (change: Partial<PayableAccount>): Checked => ({ ...good, source: { ...account, ...change } });
const destination = (change: Partial<PayableAccount>): Checked => ({
  ...good,
  destination: { ...account, id: 'a-2', ...change },
});
const order = (change: Partial<Checked['order']>): Checked => ({ ...good, order: { ...good.order, ...change } });
const skipping = (checked: Checked): Checked => ({ ...checked, order: { ...checked.order, skipPreflight: true } });

const payee: Payee = {
  name: 'Acme',
  paymentIdentifier: { scheme: 'us_ach', countryCode: 'US', currency: 'USD', details: {} },
  bankName: null,
  address: null,
};
const external = (change: Partial<Checked['order']>): Checked => ({
  ...order({ destination: { type: 'external', payee }, transferType: 'ach', ...change }),
  destination: undefined,
});

test.each([
  ['an order that the funds just cover', good],
  ['a payment to somebody else', external({})],
  ['an account whose balance the bank does not say', source({ currentBalance: null, availableBalance: null })],
  ['an account of which only the current balance is known', source({ availableBalance: null })],
  ['a payment to a credit card', destination({ type: 'creditCard' })],
])('%s passes', (_, checked) => {
  expect(preflight(checked)).toBeUndefined();
});

const [invalid, failed] = ['invalid_request', 'preflight_failed'] as const;
const [always, unlessSkipped] = [false, true];

test.each<[string, Checked, string, string, boolean]>([
  [
    'an account that is to pay itself',
    order({ destination: { type: 'account', accountId: 'a-1' } }),
    invalid,
    'destination.accountId',
    always,
  ],
  ['an unknown paying account', { ...good, source: undefined }, failed, 'sourceAccountId', always],
  ['an unknown receiving account', { ...good, destination: undefined }, failed, 'destination.accountId', always],
  [
    'a receiving account of another connection',
    destination({ connectionId: 'c-2' }),
    failed,
    'destination.accountId',
    always,
  ],
  ['a paying account in another currency', source({ currency: 'EUR' }), failed, 'amount.currency', always],
  ['a receiving account in another currency', destination({ currency: 'EUR' }), failed, 'amount.currency', always],
  ['an institution that takes no orders', { ...good, rails: [] }, failed, 'sourceAccountId', always],
  ['a rail that the bank does not do', external({ transferType: 'wire' }), failed, 'transferType', always],
  [
    'a paying account in another currency than what is paid to others',
    external({ amount: { currency: 'EUR', value: '90' } }),
    failed,
    'amount.currency',
    always,
  ],
  [
    'too little available to pay others',
    external({ amount: { currency: 'USD', value: '91' } }),
    failed,
    'amount.value',
    unlessSkipped,
  ],
  ['a card that is to pay', source({ type: 'creditCard' }), failed, 'sourceAccountId', always],
  ['a closed paying account', source({ status: 'closed' }), failed, 'sourceAccountId', unlessSkipped],
  ['a closed receiving account', destination({ status: 'closed' }), failed, 'destination.accountId', unlessSkipped],
  [
    'too little available',
    order({ amount: { currency: 'USD', value: '90.01' } }),
    failed,
    'amount.value',
    unlessSkipped,
  ],
])('%s is refused, and named', (_, checked, type, path, isSkipped) => {
  expect(preflight(checked)).toMatchObject({ type, path });
  expect(preflight(skipping(checked))).toEqual(isSkipped ? undefined : preflight(checked));
});
