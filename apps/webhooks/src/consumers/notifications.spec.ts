import { notificationId, type ConnectionStatusChangedV1, type SyncCompletedV1 } from '@causeway/contracts';
import type { Message } from '@causeway/messaging';
import { statusChanged, syncAvailable } from './notifications.ts';

const scope = { organization: 'demo', environment: 'test' } as const;
const message = <D extends object>(data: D): Message<D> => ({
  id: '0190b3a0-0000-7000-8000-000000000001',
  type: 'x',
  key: 'c-1',
  data,
  correlationId: 'req-1',
  causationId: 'e-1',
});
const completed = (changes: number): Message<SyncCompletedV1> =>
  message({
    ...scope,
    entityId: 'e-1',
    connectionId: 'c-1',
    runId: 'r-1',
    changes,
    completedAt: '2026-03-01T10:00:00.000Z',
  });
const changed: Message<ConnectionStatusChangedV1> = message({
  ...scope,
  entityId: 'e-1',
  connectionId: 'c-1',
  previousStatus: 'active',
  status: 'errored',
  errorCode: 'bank_unavailable',
  errorMessage: 'The bank does not answer.',
  changedAt: '2026-03-01T11:00:00.000Z',
});

test('a sync that changed something is told, scoped to its connection', () => {
  expect(syncAvailable(completed(3))).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
    type: 'transactions.sync_available',
    createdAt: '2026-03-01T10:00:00.000Z',
    data: { connectionId: 'c-1', entityId: 'e-1', accountId: null },
    ...{ correlationId: 'req-1', eventId: '0190b3a0-0000-7000-8000-000000000001' },
    ...scope,
    subject: 'c-1',
  });
});

test('a sync that changed nothing is told to nobody', () => {
  expect(syncAvailable(completed(0))).toBeUndefined();
});

test('a change of status is told with what it was, what it is and why', () => {
  expect(statusChanged(changed)).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
    type: 'connection.status_changed',
    createdAt: '2026-03-01T11:00:00.000Z',
    data: {
      connectionId: 'c-1',
      entityId: 'e-1',
      previousStatus: 'active',
      status: 'errored',
      errorCode: 'bank_unavailable',
      errorMessage: 'The bank does not answer.',
    },
    ...{ correlationId: 'req-1', eventId: '0190b3a0-0000-7000-8000-000000000001' },
    ...scope,
    subject: 'c-1',
  });
});

test('the id follows from the message and the type, and from nothing else', () => {
  expect(notificationId('m-1', 'test')).toBe(notificationId('m-1', 'test'));
  const ids = ['m-1', 'm-2', 'm-3'].flatMap((id) => ['test', 'other'].map((type) => notificationId(id, type)));
  expect(new Set(ids).size).toBe(6);
});
