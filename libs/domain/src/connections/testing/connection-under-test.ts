import {
  faultMessages,
  type ConnectionEvent,
  type ConnectionStatus,
  type SyncFault,
  type SyncFaultKind,
} from '../connection.events.ts';
import type { ConnectionCommand } from '../connection.ts';
import type { Instructions } from '../delegated-user.ts';

export const at = '2026-03-01T10:00:00.000Z';
export const later = '2026-03-01T10:00:05.000Z';
export const scope = { organization: 'demo', environment: 'test' } as const;
export const portal = {
  institutionId: 'sandbox-instant',
  institutionName: 'Sandbox Instant',
  portalUrl: 'https://instant.bank.example',
};
export const its = { connectionId: 'c-1', at };
export const entityId = 'e-1';

export const instructions: Instructions = {
  firstName: 'Causeway',
  lastName: 'Connection',
  address: '1 Causeway Street',
  email: 'c-1@users.example',
  username: 'causeway-c-1',
  phoneNumber: '+12175550100',
  emailProvisioningStatus: 'ready',
  phoneNumberProvisioningStatus: 'ready',
};

export const open = (connector: string | null, setup: Instructions | null = null): ConnectionCommand => ({
  type: 'OpenConnection',
  ...its,
  scope,
  entityId,
  portal,
  connector,
  instructions: setup,
  firstRunId: 'run-1',
});
export const sync = (
  runId: string,
  when = at,
  whose: typeof scope | { organization: string; environment: 'live' } = scope,
) => ({ type: 'StartSync', ...its, at: when, scope: whose, runId, trigger: 'caller', cooldownSeconds: 5 }) as const;
export const fault = (kind: SyncFaultKind): SyncFault => ({
  kind,
  retryAfterSeconds: null,
});
export const fail = (kind: SyncFaultKind, changes: 0 | null = 0) =>
  ({ type: 'FailSync', ...its, runId: 'run-1', changes, fault: fault(kind) }) as const;
export const complete = (changes = 3, kind: SyncFaultKind | null = null, runId = 'run-1') =>
  ({ type: 'CompleteSync', ...its, runId, changes, fault: kind && fault(kind) }) as const;
export const remove = { type: 'DeleteConnection', ...its, scope } as const;

export const opened: ConnectionEvent = {
  type: 'ConnectionOpened',
  data: { ...scope, ...portal, entityId, connector: 'sandbox', openedAt: at },
};
export const draftedFor = (connector: string | null): ConnectionEvent => ({
  type: 'ConnectionDrafted',
  data: { ...scope, ...portal, entityId, connector, instructions, draftedAt: at },
});
export const drafted = draftedFor('sandbox-delegated');
export const ofRun = (runId = 'run-1') => ({ entityId, institutionId: portal.institutionId, runId });
type Trigger = 'activation' | 'caller';
export const requested = (
  runId: string,
  trigger: Trigger = 'caller',
  number = 1,
  requestedAt = at,
): ConnectionEvent => ({
  type: 'SyncRequested',
  data: { ...ofRun(runId), number, trigger, requestedAt },
});
export const failed = (kind: SyncFaultKind, changes: number | null = 0, failures = 1): ConnectionEvent => ({
  type: 'SyncFailed',
  data: { ...ofRun(), changes, failures, fault: fault(kind), failedAt: at },
});
export const completed = (changes = 3, completedAt = at): ConnectionEvent => ({
  type: 'SyncCompleted',
  data: { ...ofRun(), changes, completedAt },
});
export const bookedLate = (changes: number): ConnectionEvent => ({
  type: 'SyncBookedLate',
  data: { ...ofRun(), changes, bookedAt: at },
});
export const changed = (previousStatus: ConnectionStatus, kind: SyncFaultKind | null) => ({
  entityId,
  institutionId: portal.institutionId,
  previousStatus,
  errorCode: kind,
  errorMessage: kind && faultMessages[kind],
  changedAt: at,
});
export const found: ConnectionEvent = { type: 'AccountFound', data: { accountId: 'a-1', foundAt: at } };
export const interrupted: ConnectionEvent = {
  type: 'SyncInterrupted',
  data: { runId: 'run-1', fault: fault('unavailable'), interruptedAt: at },
};
export const deleted: ConnectionEvent = {
  type: 'ConnectionDeleted',
  data: { entityId, accountIds: [], deletedAt: at },
};
/** What the erasure destroyed. */
export const end = { events: 7, keyDestroyedAt: at };
export const erased: ConnectionEvent = {
  type: 'ConnectionErased',
  data: { ...end, accountIds: [], deletedAt: at, erasedAt: at },
};
export const running = [opened, requested('run-1')];
export const failuresInARow = (count: number) =>
  Array.from({ length: count }, (_, before) => [requested('run-1'), failed('unavailable', 0, before + 1)]).flat();
export const reauth: ConnectionEvent = { type: 'ReauthRequired', data: changed('active', 'login_refused') };
export const revoked: ConnectionEvent = { type: 'AccessRevoked', data: changed('active', 'access_revoked') };
export const verifying = (previousStatus: ConnectionStatus, loginId = 'login-1'): ConnectionEvent => ({
  type: 'VerificationRequested',
  data: { ...changed(previousStatus, null), loginId },
});
export const activated: ConnectionEvent = { type: 'ConnectionActivated', data: changed('pendingActivation', null) };
export const stored = (
  ciphers: Extract<ConnectionEvent, { type: 'CredentialsStored' }>['data']['ciphers'],
  present = true,
  loginId = 'login-2',
): ConnectionEvent => ({ type: 'CredentialsStored', data: { loginId, ciphers, present, storedAt: at } });
const ordered = { operator: 'ada', reason: 'the bank moves' };
export const pause = { type: 'PauseConnection', ...its, ...ordered } as const;
export const resume = { type: 'ResumeConnection', ...its, ...ordered } as const;
export const paused = (from: ConnectionStatus): ConnectionEvent => ({
  type: 'ConnectionPaused',
  data: { ...changed(from, null), ...ordered },
});
export const resumed: ConnectionEvent = {
  type: 'ConnectionResumed',
  data: { ...changed('paused', null), ...ordered },
};
export const errored: ConnectionEvent = { type: 'ConnectionErrored', data: changed('active', 'unavailable') };
export const notFound = { rejected: { code: 'not_found' } } as const;
