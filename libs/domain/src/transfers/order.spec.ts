import { sameOrder } from './order.ts';
import { normalPayee, type Payee } from './payee.ts';
import type { Order } from './transfer.events.ts';

const accountId = '1b2f5e1c-6f1d-4b43-9b52-1c2d3e4f5a6b';

const order: Order = {
  amount: { currency: 'USD', value: '25.00' },
  connectionId: 'c-1',
  institutionId: 'sandbox-instant',
  sourceAccountId: '0b2f5e1c-6f1d-4b43-9b52-1c2d3e4f5a6b',
  destination: { type: 'account', accountId },
  transferType: 'internal',
  clientReference: null,
  memo: 'rent',
  executionDate: null,
  skipPreflight: false,
};

const payee: Payee = {
  name: 'Acme GmbH',
  paymentIdentifier: {
    ...{ scheme: 'iban', countryCode: 'DE', currency: 'EUR' },
    details: { iban: 'DE89370400440532013000', swiftBic: 'COBADEFFXXX' },
  },
  bankName: null,
  address: null,
};
function paid(change: Partial<Payee> = {}, details: Readonly<Record<string, string>> = {}): Payee {
  const { paymentIdentifier } = payee;
  const all = { ...paymentIdentifier.details, ...details };
  return normalPayee({ ...payee, paymentIdentifier: { ...paymentIdentifier, details: all }, ...change });
}
const paying = (to: Payee): Order => ({ ...order, transferType: 'sepa', destination: { type: 'external', payee: to } });

const nowhere = { line1: null, line2: null, city: null, region: null, postalCode: null, country: null };

test.each([
  ['spaces and case of an IBAN', paid({}, { iban: 'de89 3704 0044 0532 0130 00' })],
  ['the case of a BIC', paid({}, { swiftBic: 'cobadeffxxx' })],
  ['an address that says nothing', paid({ address: nowhere })],
  ['the order of details', paid({}, Object.fromEntries(Object.entries(payee.paymentIdentifier.details).reverse()))],
])('%s does not make another payee', (_, same) => {
  expect(sameOrder(paying(same), paying(paid()))).toBe(true);
});

test.each([
  ['name', paid({ name: 'ACME GmbH' })],
  ['bank', paid({ bankName: 'Commerzbank' })],
  ['city', paid({ address: { ...nowhere, city: 'Köln' } })],
  ['IBAN', paid({}, { iban: 'DE02120300000000202051' })],
])('another %s makes another payee', (_, other) => {
  expect(sameOrder(paying(other), paying(paid()))).toBe(false);
});

test.each([
  ['trailing zeros', { ...order, amount: { currency: 'USD', value: '25' } }],
  ['leading zeros', { ...order, amount: { currency: 'USD', value: '025.0' } }],
  ['the case of identifiers', { ...order, sourceAccountId: order.sourceAccountId.toUpperCase() }],
  [
    'the case of the other',
    { ...order, destination: { type: 'account', accountId: accountId.toUpperCase() } as const },
  ],
  ['the order of members', Object.fromEntries(Object.entries(order).reverse()) as Order],
  ['what follows from the account', { ...order, connectionId: '', institutionId: '' }],
])('%s do not make another order', (_, same) => {
  expect(sameOrder(same, order)).toBe(true);
});

test.each([
  ['amount', { ...order, amount: { currency: 'USD', value: '25.001' } }],
  ['currency', { ...order, amount: { currency: 'EUR', value: '25.00' } }],
  ['source', { ...order, sourceAccountId: accountId }],
  ['destination', { ...order, destination: { type: 'account', accountId: order.sourceAccountId } as const }],
  ['kind of destination', { ...order, destination: { type: 'external', payee: paid() } as const }],
  ['rail', { ...order, transferType: 'ach' as const }],
  ['memo', { ...order, memo: 'Rent' }],
  ['client reference', { ...order, clientReference: 'rent' }],
  ['execution date', { ...order, executionDate: '2026-03-02' }],
  ['wish for a preflight', { ...order, skipPreflight: true }],
])('another %s makes another order', (_, other) => {
  expect(sameOrder(other, order)).toBe(false);
});
