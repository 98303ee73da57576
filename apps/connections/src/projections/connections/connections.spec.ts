import type { ConnectionEvent, SyncFault } from '@causeway/domain/connections';
import { delegatedUser } from '../../commands/delegated-user.ts';
import { applyToConnection } from './connections.ts';

const at = (minute: number): string => `2026-03-01T10:0${minute}:00.000Z`;
const scope = { organization: 'demo', environment: 'test' } as const;
const portal = { institutionId: 'sandbox-instant', institutionName: 'Instant', portalUrl: 'https://bank.example' };
const ofRun = { entityId: 'e-1', institutionId: portal.institutionId, runId: 'r-1' };
const opened: ConnectionEvent = {
  type: 'ConnectionOpened',
  data: { ...scope, ...portal, entityId: 'e-1', connector: 'sandbox', openedAt: at(0) },
};
const requested: ConnectionEvent = {
  type: 'SyncRequested',
  data: { ...ofRun, number: 1, trigger: 'activation', requestedAt: at(1) },
};
const completed: ConnectionEvent = {
  type: 'SyncCompleted',
  data: { ...ofRun, changes: 3, completedAt: at(2) },
};
const fault: SyncFault = { kind: 'rate_limited', retryAfterSeconds: 30 };
const failed = (minute: number): ConnectionEvent => ({
  type: 'SyncFailed',
  data: { ...ofRun, changes: 0, failures: 1, fault, failedAt: at(minute) },
});
const deleted: ConnectionEvent = {
  type: 'ConnectionDeleted',
  data: { entityId: 'e-1', accountIds: [], deletedAt: at(5) },
};

const rowAfter = (...events: readonly ConnectionEvent[]) =>
  events.reduce<ReturnType<typeof applyToConnection>>((row, event) => applyToConnection(row, event, 'c-1'), undefined);

const instructions = delegatedUser('0190b1f0-0000-7000-8000-000000000001', true);
const drafted: ConnectionEvent = {
  type: 'ConnectionDrafted',
  data: { ...scope, ...portal, entityId: 'e-1', connector: 'sandbox-delegated', instructions, draftedAt: at(0) },
};
const changed = (minute: number, errorCode: string | null = null) => ({
  ...{ entityId: 'e-1', institutionId: null, previousStatus: 'draft' as const },
  ...{ errorCode, errorMessage: errorCode && 'a sentence', changedAt: at(minute) },
});
const verifying: ConnectionEvent = { type: 'VerificationRequested', data: { ...changed(1), loginId: 'l-1' } };
const activated: ConnectionEvent = { type: 'ConnectionActivated', data: changed(2) };
const refused: ConnectionEvent = { type: 'ReauthRequired', data: changed(3, 'login_refused') };
const stored = (present: boolean): ConnectionEvent => ({
  type: 'CredentialsStored',
  data: { loginId: 'l-1', ciphers: {}, present, storedAt: at(4) },
});

test('an active connection is shown as ready, and idle until a run is requested', () => {
  expect(rowAfter(opened)).toMatchObject({ kind: 'ready', status: 'active', syncStatus: 'idle', createdAt: at(0) });
  expect(rowAfter(opened, requested)).toMatchObject({ syncStatus: 'syncing', updatedAt: at(1) });
});

test('a success clears the error and is the last sync', () => {
  const row = rowAfter(opened, requested, failed(1), requested, completed);
  expect(row).toMatchObject({
    syncStatus: 'idle',
    lastSyncedAt: at(2),
    errorCode: null,
    errorMessage: null,
  });
});

test('a failure is shown, and leaves the last success as it was', () => {
  const row = rowAfter(opened, requested, completed, requested, failed(3), requested, failed(4));
  expect(row).toMatchObject({
    lastSyncedAt: at(2),
    errorCode: 'rate_limited',
    errorMessage: 'The bank asked for fewer requests.',
  });
});

test('a deleted connection has no row, whatever still comes', () => {
  expect(rowAfter(opened, requested, deleted, completed)).toBeUndefined();
});

test('a draft shows who is to be made at the bank, and is no setup any more once it was active', () => {
  expect(rowAfter(drafted)).toMatchObject({
    kind: 'setup',
    status: 'draft',
    setup: { instructions, credentialsPresent: false, nextAction: 'createDelegatedUser' },
  });
  expect(rowAfter(drafted, verifying)).toMatchObject({ kind: 'setup', status: 'pendingActivation', updatedAt: at(1) });
  expect(rowAfter(drafted, verifying, refused)).toMatchObject({ kind: 'setup', errorCode: 'login_refused' });
  const row = rowAfter(drafted, verifying, activated, refused);
  expect(row).toMatchObject({ kind: 'ready', status: 'reauthRequired', setup: { nextAction: 'provideCredentials' } });
});

test('credentials are shown as present or not, and a change that nobody sees is none', () => {
  expect(rowAfter(drafted, stored(true))).toMatchObject({
    updatedAt: at(4),
    setup: { credentialsPresent: true, nextAction: 'completeSetup' },
  });
  expect(rowAfter(drafted, stored(false))).toMatchObject({ updatedAt: at(0), setup: { credentialsPresent: false } });
});

test('a pause leaves the error that there was', () => {
  const order = { operator: 'ada', reason: 'the bank moves' };
  const paused: ConnectionEvent = { type: 'ConnectionPaused', data: { ...changed(4), ...order } };
  expect(rowAfter(opened, requested, failed(3), paused)).toMatchObject({
    ...{ kind: 'ready', status: 'paused', updatedAt: at(4), errorCode: 'rate_limited' },
  });
});
