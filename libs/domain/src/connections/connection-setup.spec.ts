import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { ConnectionEvent, ConnectionStatus, SyncFaultKind } from './connection.events.ts';
import { connection } from './connection.ts';
import {
  activated,
  changed,
  deleted,
  drafted,
  draftedFor,
  errored,
  its,
  notFound,
  opened,
  pause,
  paused,
  reauth,
  requested,
  resume,
  resumed,
  revoked,
  running,
  scope,
  stored,
  verifying,
} from './testing/connection-under-test.ts';

const completion = { type: 'CompleteSetup', ...its, scope, loginId: 'login-1' } as const;
const store = (ciphers: Readonly<Record<string, string | null>>) =>
  ({ type: 'StoreCredentials', ...its, scope, loginId: 'login-2', ciphers }) as const;
const login = (fault: SyncFaultKind | null, loginId = 'login-1') =>
  ({ type: 'RecordLogin', ...its, loginId, fault, runId: 'run-1' }) as const;
const wrongStatus = (status: ConnectionStatus) => ({ rejected: { code: 'wrong_status', status } }) as const;
const refused: ConnectionEvent = {
  type: 'ReauthRequired',
  data: changed('pendingActivation', 'login_refused'),
};
const invalid: ConnectionEvent = {
  type: 'ConfigurationRefused',
  data: changed('pendingActivation', 'insufficient_rights'),
};
const pending = [drafted, verifying('draft')];
const others = { organization: 'other', environment: 'test' } as const;

describe('setup completion', () =>
  deciderSpec(connection, {
    'of a draft is followed by a login': { given: [drafted], when: completion, then: [verifying('draft')] },
    'of a draft whose credentials are there, too': {
      given: [drafted, stored({ password: 'a' })],
      when: completion,
      then: [verifying('draft')],
    },
    'after a refused login is followed by another': {
      given: [...pending, refused],
      when: { ...completion, loginId: 'login-3' },
      then: [verifying('reauthRequired', 'login-3')],
    },
    'after an invalid configuration, too': {
      given: [...pending, invalid],
      when: { ...completion, loginId: 'login-3' },
      then: [verifying('invalidConfig', 'login-3')],
    },
    'that comes again is the same': { given: pending, when: completion, then: [] },
    'while it is verified is refused': {
      given: pending,
      when: { ...completion, loginId: 'login-3' },
      then: wrongStatus('pendingActivation'),
    },
    'of a draft that nothing logs in for is refused': {
      given: [draftedFor(null)],
      when: completion,
      then: wrongStatus('draft'),
    },
    'of an active connection is refused': { given: [opened], when: completion, then: wrongStatus('active') },
    'of a revoked connection is refused': { given: [opened, revoked], when: completion, then: wrongStatus('revoked') },
    'of a deleted connection is refused': { given: [drafted, deleted], when: completion, then: notFound },
    'is not for others': { given: [drafted], when: { ...completion, scope: others }, then: notFound },
  }));

describe('credentials', () =>
  deciderSpec(connection, {
    'of a draft are kept until the setup is complete': {
      given: [drafted],
      when: store({ password: 'a' }),
      then: [stored({ password: 'a' })],
    },
    'that are cleared, all of them, are not present': {
      given: [drafted, stored({ password: 'a' }, true, 'login-1')],
      when: store({ password: null }),
      then: [stored({ password: null }, false)],
    },
    'that are left out stay': {
      given: [drafted, stored({ password: 'a', bankUsername: 'b' }, true, 'login-1')],
      when: store({ password: null }),
      then: [stored({ password: null }, true)],
    },
    'after a refused login are tried at once': {
      given: [...pending, refused],
      when: store({ password: 'a' }),
      then: [stored({ password: 'a' }), verifying('reauthRequired', 'login-2')],
    },
    'after an invalid configuration are tried at once': {
      given: [...pending, invalid],
      when: store({ bankUsername: 'a' }),
      then: [stored({ bankUsername: 'a' }), verifying('invalidConfig', 'login-2')],
    },
    'of an active connection count from its next login on': {
      given: [...pending, activated],
      when: store({ password: 'a' }),
      then: [stored({ password: 'a' })],
    },
    'that come again are the same': {
      given: [drafted, stored({ password: 'a' })],
      when: store({ password: 'b' }),
      then: [],
    },
    'of a revoked connection are refused': {
      given: [opened, revoked],
      when: store({ password: 'a' }),
      then: wrongStatus('revoked'),
    },
    'are not for others': { given: [drafted], when: { ...store({}), scope: others }, then: notFound },
  }));

describe('the first login', () =>
  deciderSpec(connection, {
    'that succeeds makes the connection active, and its first sync begins': {
      given: pending,
      when: login(null),
      then: [activated, requested('run-1', 'activation')],
    },
    'that is refused asks for other credentials': { given: pending, when: login('login_refused'), then: [refused] },
    'without the rights that are needed is an invalid configuration': {
      given: pending,
      when: login('insufficient_rights'),
      then: [invalid],
    },
    'to a bank that has withdrawn the access ends it': {
      given: pending,
      when: login('access_revoked'),
      then: [{ type: 'AccessRevoked', data: changed('pendingActivation', 'access_revoked') }],
    },
    'to a bank that is away has no outcome': { given: pending, when: login('unavailable'), then: [] },
    'has one outcome': { given: [...pending, refused], when: login(null), then: [] },
    'with credentials that were changed meanwhile has no outcome': {
      given: [...pending, stored({ password: 'a' })],
      when: login('login_refused'),
      then: [],
    },
    'beside a run that still goes on begins no other': {
      given: [...running, reauth, verifying('reauthRequired')],
      when: login(null),
      then: [activated],
    },
    'of a deleted connection has no outcome': { given: [...pending, deleted], when: login(null), then: [] },
  }));

describe('an operator', () =>
  deciderSpec(connection, {
    'pauses an active connection': { given: [opened], when: pause, then: [paused('active')] },
    'pauses an errored one': { given: [opened, errored], when: pause, then: [paused('errored')] },
    'pauses none in setup': { given: [drafted], when: pause, then: wrongStatus('draft') },
    'resumes a paused one': { given: [opened, paused('active')], when: resume, then: [resumed] },
    'resumes none that is not paused': { given: [opened], when: resume, then: wrongStatus('active') },
    'finds nothing where there is nothing': { given: [], when: pause, then: notFound },
    'finds nothing where it was deleted': { given: [opened, deleted], when: resume, then: notFound },
  }));
