import type { AccountEvent } from '@causeway/domain/connections';
import type { AccountRow } from '@causeway/read-models';
import { applyToAccount } from './accounts.ts';

const at = '2026-03-01T10:00:00.000Z';
const later = '2026-03-02T10:00:00.000Z';
const scope = { organization: 'demo', environment: 'test' } as const;
const details = {
  type: 'checking',
  name: 'Operating',
  officialName: null,
  status: 'open',
  number: '1234567890',
  routingNumber: null,
  swiftBic: null,
  currentBalance: '100.00',
  availableBalance: '90.00',
  balanceAsOf: at,
} as const;
const discovered: AccountEvent = {
  type: 'AccountDiscovered',
  data: { ...scope, entityId: 'e-1', connectionId: 'c-1', key: 'k', currency: 'USD', details, discoveredAt: at },
};
const changed: AccountEvent = {
  type: 'AccountChanged',
  data: { details: { currentBalance: '80.00', number: '99' }, changedAt: later },
};
const rowAfter = (...events: readonly AccountEvent[]) =>
  events.reduce<AccountRow | undefined>((row, event) => applyToAccount(row, event, 'a-1'), undefined);

test('a discovered account is shown with its number masked beside it', () => {
  expect(rowAfter(discovered)).toMatchObject({
    ...scope,
    id: 'a-1',
    connectionId: 'c-1',
    accountNumber: '1234567890',
    maskedNumber: '••••7890',
    createdAt: at,
    updatedAt: at,
  });
});

test('a change shows what changed and nothing else', () => {
  expect(rowAfter(discovered, changed)).toMatchObject({
    currentBalance: '80.00',
    availableBalance: '90.00',
    maskedNumber: '••••99',
    createdAt: at,
    updatedAt: later,
  });
});
