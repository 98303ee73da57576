import { deciderSpec } from '@causeway/event-sourcing/testing';
import { connection } from './connection.ts';
import {
  at,
  later,
  its,
  entityId,
  open,
  sync,
  remove,
  opened,
  drafted,
  draftedFor,
  instructions,
  requested,
  failed,
  completed,
  found,
  deleted,
  end,
  erased,
  running,
  reauth,
  revoked,
  notFound,
  verifying,
  activated,
  paused,
} from './testing/connection-under-test.ts';

describe('opening', () =>
  deciderSpec(connection, {
    'a connection that needs no setup is active at once and begins to sync': {
      given: [],
      when: open('sandbox'),
      then: [opened, requested('run-1', 'activation')],
    },
    'a connection that needs a setup is a draft and does not sync': {
      given: [],
      when: open('sandbox-delegated', instructions),
      then: [drafted],
    },
    'a connection that nothing logs in for is a draft': {
      given: [],
      when: open(null, instructions),
      then: [draftedFor(null)],
    },
    'whoever opens it second finds it open': { given: [opened], when: open('sandbox'), then: [] },
    'a deleted connection stays deleted': { given: [opened, deleted], when: open('sandbox'), then: [] },
  }));

describe('starting a sync', () =>
  deciderSpec(connection, {
    'an active connection syncs': { given: [opened], when: sync('run-1'), then: [requested('run-1')] },
    'one run at a time': { given: running, when: sync('run-2'), then: { rejected: { code: 'already_syncing' } } },
    'a run that was asked for twice is one': { given: running, when: sync('run-1'), then: [] },
    'a run that was asked for twice is one, when it is over too': {
      given: [...running, completed()],
      when: sync('run-1', '2026-03-01T11:00:00.000Z'),
      then: [],
    },
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
    'where there are credentials to be given anew, it waits for these': {
      given: [drafted, verifying('draft'), activated, reauth],
      when: sync('run-2'),
      then: { rejected: { code: 'wrong_status', status: 'reauthRequired' } },
    },
    'a paused connection does not sync': {
      given: [opened, paused('active')],
      when: sync('run-2'),
      then: { rejected: { code: 'wrong_status', status: 'paused' } },
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
      when: sync('run-2', later),
      then: [requested('run-2', 'caller', 2, later)],
    },
    'an end that is recorded ahead of the clock counts as now': {
      given: [...running, completed(3, '2026-03-01T10:00:03.000Z')],
      when: sync('run-2'),
      then: { rejected: { code: 'cooling_down', retryAfterSeconds: 5 } },
    },
    'an end that a wrong clock recorded years ahead holds up nothing': {
      given: [...running, completed(3, '2062-03-01T10:00:00.000Z')],
      when: sync('run-2'),
      then: [requested('run-2', 'caller', 2)],
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
      when: { type: 'RecordErasure', ...its, ...end },
      then: [erased],
    },
    'is erased once': { given: [opened, deleted, erased], when: { type: 'RecordErasure', ...its, ...end }, then: [] },
    'comes before the erasure': { given: [opened], when: { type: 'RecordErasure', ...its, ...end }, then: [] },
    'is not for others': {
      given: [opened],
      when: { ...remove, scope: { organization: 'other', environment: 'test' } },
      then: notFound,
    },
  }));
