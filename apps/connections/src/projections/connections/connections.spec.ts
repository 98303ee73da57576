import type { ConnectionEvent, SyncFault } from '@causeway/domain/connections';
import type { Recorded, Revision } from '@causeway/event-sourcing';
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
  events
    .map((event, revision): Recorded<ConnectionEvent> => {
      const metadata = { correlationId: 'request-1', causationId: 'message-1', ...scope };
      return { ...event, id: `event-${revision}`, stream: 'connection-c-1', revision: revision as Revision, metadata };
    })
    .reduce<ReturnType<typeof applyToConnection>>(applyToConnection, undefined);

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
