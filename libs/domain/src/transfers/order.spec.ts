import { sameOrder } from './order.ts';
import type { Order } from './transfer.events.ts';

const order: Order = {
  amount: { currency: 'USD', value: '25.00' },
  connectionId: 'c-1',
  institutionId: 'sandbox-instant',
  sourceAccountId: '0b2f5e1c-6f1d-4b43-9b52-1c2d3e4f5a6b',
  destinationAccountId: '1b2f5e1c-6f1d-4b43-9b52-1c2d3e4f5a6b',
  clientReference: null,
  memo: 'rent',
  executionDate: null,
  skipPreflight: false,
};

test.each([
  ['trailing zeros', { ...order, amount: { currency: 'USD', value: '25' } }],
  ['leading zeros', { ...order, amount: { currency: 'USD', value: '025.0' } }],
  ['the case of identifiers', { ...order, sourceAccountId: order.sourceAccountId.toUpperCase() }],
  ['the order of members', Object.fromEntries(Object.entries(order).reverse()) as Order],
  ['what follows from the account', { ...order, connectionId: '', institutionId: '' }],
])('%s do not make another order', (_, same) => {
  expect(sameOrder(same, order)).toBe(true);
});

test.each([
  ['amount', { ...order, amount: { currency: 'USD', value: '25.001' } }],
  ['currency', { ...order, amount: { currency: 'EUR', value: '25.00' } }],
  ['source', { ...order, sourceAccountId: order.destinationAccountId }],
  ['destination', { ...order, destinationAccountId: order.sourceAccountId }],
  ['memo', { ...order, memo: 'Rent' }],
  ['client reference', { ...order, clientReference: 'rent' }],
  ['execution date', { ...order, executionDate: '2026-03-02' }],
  ['wish for a preflight', { ...order, skipPreflight: true }],
])('another %s makes another order', (_, other) => {
  expect(sameOrder(other, order)).toBe(false);
});
