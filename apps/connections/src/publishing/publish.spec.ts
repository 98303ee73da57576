import type { ConnectionEvent, SyncRunEvent } from '@causeway/domain/connections';
import type { Event, Position, RecordedAt, Revision, Sequenced, StreamName } from '@causeway/event-sourcing';
import { publish } from './publish.ts';

const scope = { organization: 'demo', environment: 'test' } as const;
const at = '2026-03-01T10:00:00.000Z';

const sequenced = <E extends Event>(stream: StreamName, event: E): Sequenced<E> => ({
  ...event,
  id: 'event-1',
  stream,
  revision: 3 as Revision,
  position: 9 as Position,
  recordedAt: 1 as RecordedAt,
  metadata: { correlationId: 'request-1', causationId: 'message-1', ...scope },
});
const ofConnection = (event: ConnectionEvent) => publish(sequenced('connection-c-1', event));
const ofRun = (event: SyncRunEvent) => publish(sequenced('sync-r-1', event));
const fault = { kind: 'unavailable', retryAfterSeconds: null } as const;
const run = { entityId: 'e-1', institutionId: 'sandbox-instant', runId: 'r-1' };
const failed = (changes: number | null): ConnectionEvent => ({
  type: 'SyncFailed',
  data: { ...run, changes, failures: 1, fault, failedAt: at },
});
const completed = (changes: number): ConnectionEvent => ({
  type: 'SyncCompleted',
  data: { ...run, changes, completedAt: at },
});

test('a message bears the event’s id, and what it all began with', () => {
  const message = ofConnection({ type: 'ConnectionDeleted', data: { entityId: 'e-1', accountIds: [], deletedAt: at } });
  expect(message).toEqual({
    topic: 'causeway.connections.statements',
    message: {
      id: 'event-1',
      type: 'connections.connection-deleted.v1',
      key: 'c-1',
      data: { ...scope, connectionId: 'c-1', deletedAt: at },
      correlationId: 'request-1',
      causationId: 'event-1',
    },
  });
});

test('a part of a statement leaves as the ciphertext that is stored, and nothing of its page in clear', () => {
  const whose = { entityId: 'e-1', connectionId: 'c-1', accountId: 'a-1', currency: 'USD', connector: 'sandbox' };
  const place = { run: 7, page: 4, part: 1, parts: 2, bankDay: '2026-02-02' };
  const page = { range: { from: '2026-02-01', to: '2026-02-02' }, pageSha256: 'abc', cipher: 'AQID' };
  const outgoing = ofRun({ type: 'StatementReceived', data: { ...whose, ...place, ...page } });
  expect(outgoing?.message.data).toEqual({ ...scope, ...whose, ...place, runId: 'r-1' });
  expect(outgoing?.message.attachment).toEqual(Buffer.from([1, 2, 3]));
});

const told = { entityId: 'e-1', errorCode: null, errorMessage: null, changedAt: at };
const change = { ...told, institutionId: null };

test('of a pause nobody is told who ordered it, and why', () => {
  const order = { operator: 'ada', reason: 'the bank moves' };
  const paused = ofConnection({ type: 'ConnectionPaused', data: { ...change, ...order, previousStatus: 'active' } });
  const its = { ...scope, ...told, connectionId: 'c-1', previousStatus: 'active', status: 'paused' };
  expect(paused?.message.data).toEqual(its);
});

test.each<[string, ConnectionEvent, string]>([
  ['a run that succeeded', completed(2), 'connections.sync-completed.v1'],
  [
    'a run that was given up on and is booked after all',
    { type: 'SyncBookedLate', data: { ...run, changes: 2, bookedAt: at } },
    'connections.sync-completed.v1',
  ],
  ['a run that failed after it had changed something', failed(2), 'connections.sync-completed.v1'],
  [
    'a change of status',
    {
      type: 'ConnectionErrored',
      data: { ...change, previousStatus: 'active', errorCode: 'unavailable', errorMessage: 'No.' },
    },
    'connections.status-changed.v1',
  ],
])('%s is told', (_, event, type) => {
  expect(ofConnection(event)?.message.type).toBe(type);
});

test('a change of status tells both', () => {
  const recovered = ofConnection({ type: 'ConnectionRecovered', data: { ...change, previousStatus: 'errored' } });
  expect(recovered?.message.data).toMatchObject({ connectionId: 'c-1', previousStatus: 'errored', status: 'active' });
});

test('what an erasure destroyed is told in numbers', () => {
  const times = { deletedAt: at, keyDestroyedAt: at, erasedAt: at };
  const told = ofConnection({ type: 'ConnectionErased', data: { ...times, accountIds: ['a-1', 'a-2'], events: 9 } });
  const data = { organization: 'demo', environment: 'test', connectionId: 'c-1', accounts: 2, events: 9, ...times };
  expect(told?.message).toMatchObject({ type: 'connections.connection-erased.v1', data });
});

test.each<[string, ConnectionEvent]>([
  ['a run that failed and changed nothing', failed(0)],
  ['a run that changed nothing', completed(0)],
  ['a run that was given up on', failed(null)],
  ['that a run begins', { type: 'SyncRequested', data: { ...run, number: 1, trigger: 'caller', requestedAt: at } }],
  [
    'that credentials are kept',
    { type: 'CredentialsStored', data: { loginId: 'l-1', ciphers: {}, present: true, storedAt: at } },
  ],
  ['that an account was found', { type: 'AccountFound', data: { accountId: 'a-1', foundAt: at } }],
])('%s is nobody else’s business', (_, event) => {
  expect(ofConnection(event)).toBeUndefined();
});
