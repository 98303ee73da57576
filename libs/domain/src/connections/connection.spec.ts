import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { ConnectionEvent, ConnectionStatus, SyncFault, SyncFaultKind } from './connection.events.ts';
import { connection, failuresMax, type ConnectionCommand } from './connection.ts';

const at = '2026-03-01T10:00:00.000Z';
const later = '2026-03-01T10:00:05.000Z';
const scope = { organization: 'demo', environment: 'test' } as const;
const portal = {
  institutionId: 'sandbox-instant',
  institutionName: 'Sandbox Instant',
  portalUrl: 'https://instant.bank.example',
};
const its = { connectionId: 'c-1', at };
const entityId = 'e-1';

const open = (connector: string | null): ConnectionCommand => ({
  type: 'OpenConnection',
  ...its,
  scope,
  entityId,
  portal,
  connector,
  firstRunId: 'run-1',
});
const sync = (runId: string, when = at, whose: typeof scope | { organization: string; environment: 'live' } = scope) =>
  ({ type: 'StartSync', ...its, at: when, scope: whose, runId, trigger: 'caller', cooldownSeconds: 5 }) as const;
const fault = (kind: SyncFaultKind): SyncFault => ({ kind, message: 'The bank said no.', retryAfterSeconds: null });
const fail = (kind: SyncFaultKind, runId = 'run-1') =>
  ({ type: 'FailSync', ...its, runId, fault: fault(kind) }) as const;
const complete = (changes = 3, refusal: string | null = null, runId = 'run-1') =>
  ({ type: 'CompleteSync', ...its, runId, changes, refusal }) as const;
const remove: ConnectionCommand = { type: 'DeleteConnection', ...its, scope };

const opened: ConnectionEvent = {
  type: 'ConnectionOpened',
  data: { ...scope, ...portal, entityId, connector: 'sandbox', openedAt: at },
};
const drafted: ConnectionEvent = { type: 'ConnectionDrafted', data: { ...scope, ...portal, entityId, draftedAt: at } };
type Trigger = 'activation' | 'caller';
const requested = (runId: string, trigger: Trigger = 'caller', number = 1, requestedAt = at): ConnectionEvent => ({
  type: 'SyncRequested',
  data: { entityId, runId, number, trigger, requestedAt },
});
const failed = (kind: SyncFaultKind, changes = 0): ConnectionEvent => ({
  type: 'SyncFailed',
  data: { entityId, runId: 'run-1', changes, fault: fault(kind), failedAt: at },
});
const completed = (changes = 3): ConnectionEvent => ({
  type: 'SyncCompleted',
  data: { entityId, runId: 'run-1', changes, completedAt: at },
});
const changed = (previousStatus: ConnectionStatus, kind: SyncFaultKind | null) => ({
  entityId,
  previousStatus,
  errorCode: kind,
  errorMessage: kind && 'The bank said no.',
  changedAt: at,
});
const found: ConnectionEvent = { type: 'AccountFound', data: { accountId: 'a-1', foundAt: at } };
const interrupted: ConnectionEvent = {
  type: 'SyncInterrupted',
  data: { runId: 'run-1', fault: fault('unavailable'), interruptedAt: at },
};
const deleted: ConnectionEvent = { type: 'ConnectionDeleted', data: { entityId, accountIds: [], deletedAt: at } };
const erased: ConnectionEvent = { type: 'ConnectionErased', data: { accountIds: [], erasedAt: at } };
const running = [opened, requested('run-1')];
const failuresInARow = (count: number) =>
  Array.from({ length: count }, () => [requested('run-1'), failed('unavailable')]).flat();
const reauth: ConnectionEvent = { type: 'ReauthRequired', data: changed('active', 'login_refused') };
const revoked: ConnectionEvent = { type: 'AccessRevoked', data: changed('active', 'access_revoked') };
const errored: ConnectionEvent = { type: 'ConnectionErrored', data: changed('active', 'unavailable') };
const notFound = { rejected: { code: 'not_found' } } as const;

describe('opening', () =>
  deciderSpec(connection, {
    'a connection that needs no setup is active at once and begins to sync': {
      given: [],
      when: open('sandbox'),
      then: [opened, requested('run-1', 'activation')],
    },
    'a connection that needs a setup is a draft and does not sync': { given: [], when: open(null), then: [drafted] },
    'whoever opens it second finds it open': { given: [opened], when: open('sandbox'), then: [] },
    'a deleted connection stays deleted': { given: [opened, deleted], when: open('sandbox'), then: [] },
  }));

describe('starting a sync', () =>
  deciderSpec(connection, {
    'an active connection syncs': { given: [opened], when: sync('run-1'), then: [requested('run-1')] },
    'one run at a time': { given: running, when: sync('run-2'), then: { rejected: { code: 'already_syncing' } } },
    'a draft does not sync': {
      given: [drafted],
      when: sync('run-1'),
      then: { rejected: { code: 'wrong_status', status: 'draft' } },
    },
    'a revoked connection does not sync': {
      given: [opened, revoked],
      when: sync('run-1'),
      then: { rejected: { code: 'wrong_status', status: 'revoked' } },
    },
    'a connection whose login was refused tries again': {
      given: [opened, reauth],
      when: sync('run-2'),
      then: [requested('run-2')],
    },
    'a run that ended is followed by a cooldown': {
      given: [...running, completed()],
      when: sync('run-2', '2026-03-01T10:00:01.500Z'),
      then: { rejected: { code: 'cooling_down', retryAfterSeconds: 4 } },
    },
    'a run that failed is followed by a cooldown, too': {
      given: [...running, failed('unavailable')],
      when: sync('run-2', '2026-03-01T10:00:04.999Z'),
      then: { rejected: { code: 'cooling_down', retryAfterSeconds: 1 } },
    },
    'runs are counted, whatever became of them': {
      given: [...running, failed('unavailable'), requested('run-2', 'caller', 2), failed('unavailable')],
      when: sync('run-3', later),
      then: [requested('run-3', 'caller', 3, later)],
    },
    'after the cooldown it may run again': {
      given: [...running, completed()],
      when: sync('run-1', later),
      then: [requested('run-1', 'caller', 2, later)],
    },
    'of another organization, there is no such connection': {
      given: [opened],
      when: sync('run-1', at, { organization: 'other', environment: 'live' }),
      then: notFound,
    },
    'in another environment, there is no such connection': {
      given: [opened],
      when: sync('run-1', at, { organization: 'demo', environment: 'live' }),
      then: notFound,
    },
    'there is no such connection': { given: [], when: sync('run-1'), then: notFound },
  }));

describe('a run', () =>
  deciderSpec(connection, {
    'records an account before its stream begins': {
      given: running,
      when: { type: 'RecordAccount', ...its, accountId: 'a-1' },
      then: [found],
    },
    'records an account once': {
      given: [...running, found],
      when: { type: 'RecordAccount', ...its, accountId: 'a-1' },
      then: [],
    },
    'brings no account to a connection that was deleted meanwhile': {
      given: [...running, deleted],
      when: { type: 'RecordAccount', ...its, accountId: 'a-1' },
      then: notFound,
    },
    'ends with what it changed': { given: running, when: complete(3), then: [completed(3)] },
    'ends once': { given: [...running, completed()], when: complete(3), then: [] },
    'is not ended by the answer to another': { given: running, when: complete(3, null, 'run-0'), then: [] },
    'that a page was refused in has failed': {
      given: running,
      when: complete(2, 'The bank said no.'),
      then: [failed('statement_refused', 2)],
    },
    'that the bank broke off is remembered as such': {
      given: running,
      when: { type: 'InterruptSync', ...its, runId: 'run-1', fault: fault('unavailable') },
      then: [interrupted],
    },
    'that the bank broke off fails once its pages are booked': {
      given: [...running, interrupted],
      when: complete(2),
      then: [failed('unavailable', 2)],
    },
    'ends with its connection': { given: [...running, deleted], when: complete(3), then: [] },
  }));

describe('the status', () =>
  deciderSpec(connection, {
    'stays when a run fails for a reason that may pass': {
      given: running,
      when: fail('unavailable'),
      then: [failed('unavailable')],
    },
    'is errored after five failures in a row': {
      given: [opened, ...failuresInARow(failuresMax - 1), requested('run-1')],
      when: fail('unavailable'),
      then: [failed('unavailable'), errored],
    },
    'a success in between starts the count again': {
      given: [opened, ...failuresInARow(failuresMax - 1), requested('run-1'), completed(), requested('run-1')],
      when: fail('unavailable'),
      then: [failed('unavailable')],
    },
    'is told once': {
      given: [opened, ...failuresInARow(failuresMax), errored, requested('run-1')],
      when: fail('unavailable'),
      then: [failed('unavailable')],
    },
    'is reauthRequired as soon as the bank refuses the login': {
      given: running,
      when: fail('login_refused'),
      then: [failed('login_refused'), reauth],
    },
    'is revoked as soon as the bank withdraws the access': {
      given: running,
      when: fail('access_revoked'),
      then: [failed('access_revoked'), revoked],
    },
    'is active again after a success': {
      given: [opened, errored, requested('run-1')],
      when: complete(0),
      then: [completed(0), { type: 'ConnectionRecovered', data: changed('errored', null) }],
    },
    'comes back by itself when the bank accepts the login again': {
      given: [opened, reauth, requested('run-1')],
      when: complete(0),
      then: [completed(0), { type: 'ConnectionRecovered', data: changed('reauthRequired', null) }],
    },
  }));

describe('deleting', () =>
  deciderSpec(connection, {
    'ends the connection, whatever it is doing': { given: running, when: remove, then: [deleted] },
    'a draft can be deleted': { given: [drafted], when: remove, then: [deleted] },
    'twice is told apart': { given: [opened, deleted], when: remove, then: { rejected: { code: 'already_deleted' } } },
    'twice is told apart after the erasure too: other services may still have to carry theirs out': {
      given: [opened, deleted, erased],
      when: remove,
      then: { rejected: { code: 'already_deleted' } },
    },
    'names the accounts that go with it': {
      given: [...running, found],
      when: remove,
      then: [{ type: 'ConnectionDeleted', data: { entityId, accountIds: ['a-1'], deletedAt: at } }],
    },
    'is followed by the erasure of its streams': {
      given: [opened, deleted],
      when: { type: 'RecordErasure', ...its },
      then: [erased],
    },
    'is erased once': { given: [opened, deleted, erased], when: { type: 'RecordErasure', ...its }, then: [] },
    'comes before the erasure': { given: [opened], when: { type: 'RecordErasure', ...its }, then: [] },
    'is not for others': {
      given: [opened],
      when: { ...remove, scope: { organization: 'other', environment: 'test' } },
      then: notFound,
    },
  }));
