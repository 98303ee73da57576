import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { ConnectionEvent } from './connection.events.ts';
import { connection, failuresMax } from './connection.ts';
import {
  at,
  its,
  fault,
  fail,
  complete,
  opened,
  ofRun,
  requested,
  failed,
  completed,
  bookedLate,
  changed,
  found,
  interrupted,
  deleted,
  running,
  failuresInARow,
  reauth,
  revoked,
  errored,
  notFound,
  paused,
} from './testing/connection-under-test.ts';

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
      when: complete(2, 'statement_refused'),
      then: [failed('statement_refused', 2)],
    },
    'that waits for an event to be mended has failed': {
      given: running,
      when: complete(2, 'parked'),
      then: [failed('parked', 2)],
    },
    'that is given up on has failed, with changes that nobody knows': {
      given: running,
      when: fail('statement_refused', null),
      then: [failed('statement_refused', null)],
    },
    'that was given up on and is booked after all tells its changes': {
      given: [...running, failed('statement_refused', null)],
      when: complete(2),
      then: [bookedLate(2)],
    },
    'that was given up on is booked late beside another that goes on': {
      given: [...running, failed('statement_refused', null), requested('run-2')],
      when: complete(2, 'statement_refused'),
      then: [bookedLate(2)],
    },
    'that failed with what it changed is not booked late': {
      given: [...running, failed('unavailable', 2)],
      when: complete(2),
      then: [],
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
      then: [failed('unavailable', 0, failuresMax), errored],
    },
    'a success in between starts the count again': {
      given: [opened, ...failuresInARow(failuresMax - 1), requested('run-1'), completed(), requested('run-1')],
      when: fail('unavailable'),
      then: [failed('unavailable')],
    },
    'is told once': {
      given: [opened, ...failuresInARow(failuresMax), errored, requested('run-1')],
      when: fail('unavailable'),
      then: [failed('unavailable', 0, failuresMax + 1)],
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
    'stays paused, however a run ends that went on': {
      given: [...running, paused('active')],
      when: fail('login_refused'),
      then: [failed('login_refused')],
    },
    'stays paused after a success, too': {
      given: [...running, paused('active')],
      when: complete(2),
      then: [completed(2)],
    },
    'is revoked, paused or not': {
      given: [...running, paused('active')],
      when: fail('access_revoked'),
      then: [failed('access_revoked'), { type: 'AccessRevoked', data: changed('paused', 'access_revoked') }],
    },
    'comes back by itself when the bank accepts the login again': {
      given: [opened, reauth, requested('run-1')],
      when: complete(0),
      then: [completed(0), { type: 'ConnectionRecovered', data: changed('reauthRequired', null) }],
    },
  }));

test('the state of a connection stays small, however long it runs and whatever is given up on', () => {
  const given = Array.from({ length: 200 }, (_, n) => [
    requested(`run-${n}`),
    {
      type: 'SyncFailed',
      data: { ...ofRun(`run-${n}`), changes: null, failures: n + 1, fault: fault('statement_refused'), failedAt: at },
    } as const,
  ]).flat();
  const fold = (events: readonly ConnectionEvent[]) =>
    JSON.stringify(events.reduce(connection.evolve, connection.initial));
  expect(fold([opened, ...given]).length).toBeLessThan(2000);
});
