import type { AccountEvent, ConnectionEvent } from '@causeway/domain/connections';
import type { Position, RecordedAt, Revision } from '@causeway/event-sourcing';
import type { AccountRow } from '@causeway/read-models';
import { applyToAccount, keysOf } from './accounts.ts';

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
type Ended = Extract<ConnectionEvent, { type: 'ConnectionDeleted' | 'ConnectionErased' }>;
const deleted: Ended = {
  type: 'ConnectionDeleted',
  data: { entityId: 'e-1', accountIds: ['a-1', 'a-2'], deletedAt: at },
};
const erased: Ended = { type: 'ConnectionErased', data: { accountIds: ['a-1', 'a-2'], erasedAt: later } };

const rowAfter = (...events: readonly (AccountEvent | Ended)[]) =>
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

test('an account goes with its connection, and one that a late run brought goes with the erasure', () => {
  expect(rowAfter(discovered, deleted)).toBeUndefined();
  expect(rowAfter(discovered, deleted, discovered, erased)).toBeUndefined();
});

test('the end of a connection is about each of its accounts', () => {
  const places = { revision: 1 as Revision, position: 1 as Position, recordedAt: 1 as RecordedAt };
  const metadata = { correlationId: 'request-1', causationId: 'message-1', ...scope };
  expect(keysOf({ ...deleted, ...places, id: 'event-1', stream: 'connection-c-1', metadata })).toEqual(['a-1', 'a-2']);
});
