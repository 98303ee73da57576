import { accept, reject, type Decision } from '@causeway/event-sourcing';
import {
  faultMessages,
  type ConnectionEvent,
  type ConnectionStatus,
  type StatusChange,
  type SyncFaultKind,
} from './connection.events.ts';
import { withCiphers, type Known } from './connection.state.ts';
import type { Scope } from './scope.ts';
import type { CredentialName } from './delegated-user.ts';
import { setupProgress, type SetupProgress } from './setup.ts';

/** `operator`: who says so. */
type Order = Readonly<{ operator: string; reason: string }>;

/** `loginId`: of the request; of what logs in from then on. */
export type SetupCommand =
  /** The user was made at the bank. */
  | Readonly<{ type: 'CompleteSetup'; scope: Scope; loginId: string }>
  | Readonly<{
      type: 'StoreCredentials';
      scope: Scope;
      loginId: string;
      /** As in `CredentialsStored`. */
      ciphers: Readonly<Partial<Record<CredentialName, string | null>>>;
    }>
  /** `fault` null: the bank accepts it. `runId`: of the sync that then begins. */
  | Readonly<{ type: 'RecordLogin'; loginId: string | null; fault: SyncFaultKind | null; runId: string }>
  | (Readonly<{ type: 'PauseConnection' }> & Order)
  | (Readonly<{ type: 'ResumeConnection' }> & Order);

type At = Readonly<{ at: string }>;
type CommandOf<T extends SetupCommand['type']> = Extract<SetupCommand, { type: T }> & At;
type Refusal = Readonly<{ code: 'wrong_status'; status: ConnectionStatus }>;
type SetupDecision = Decision<ConnectionEvent, Refusal>;

/** What every change of the status says. */
export const changeOf = (
  { entityId, institutionId, status }: Known,
  at: string,
  kind: SyncFaultKind | null = null,
) => ({
  entityId,
  institutionId,
  previousStatus: status,
  errorCode: kind,
  errorMessage: kind && faultMessages[kind],
  changedAt: at,
});

const refused = ({ status }: Known): SetupDecision => reject({ code: 'wrong_status', status });

const isPresent = (ciphers: Known['login']['ciphers']): boolean => Object.keys(ciphers).length > 0;

/** What can be followed by the word that the setup is complete. */
const completable: readonly SetupProgress['nextAction'][] = [
  'createDelegatedUser',
  'completeSetup',
  'provideCredentials',
  'fixConfiguration',
];

export const completeSetup = (connection: Known, command: CommandOf<'CompleteSetup'>): SetupDecision => {
  const { loginId, at } = command;
  const { status, connector, login } = connection;
  if (loginId === login.loginId) return accept();
  const credentialsPresent = isPresent(login.ciphers);
  const { nextAction } = setupProgress({ status, isServed: connector !== null, credentialsPresent });
  if (!completable.includes(nextAction)) return refused(connection);
  return accept({ type: 'VerificationRequested', data: { ...changeOf(connection, at), loginId } });
};

/** Where the login was refused for what it was made with, it is tried again at once. */
export const storeCredentials = (connection: Known, command: CommandOf<'StoreCredentials'>): SetupDecision => {
  const { loginId, ciphers, at } = command;
  const { status, login } = connection;
  if (status === 'revoked') return refused(connection);
  if (loginId === login.loginId) return accept();
  const present = isPresent(withCiphers(login.ciphers, ciphers));
  const stored: ConnectionEvent = { type: 'CredentialsStored', data: { loginId, ciphers, present, storedAt: at } };
  if (status !== 'reauthRequired' && status !== 'invalidConfig') return accept(stored);
  return accept<ConnectionEvent>(stored, {
    type: 'VerificationRequested',
    data: { ...changeOf(connection, at), loginId },
  });
};

/** A login that was made before the last change says nothing of it; a fault that may pass is no outcome. */
export const recordLogin = (connection: Known, command: CommandOf<'RecordLogin'>): SetupDecision => {
  const { loginId, fault, runId, at } = command;
  if (connection.status !== 'pendingActivation' || loginId !== connection.login.loginId) return accept();
  const { entityId, institutionId, runs } = connection;
  if (fault === null) {
    const activated: ConnectionEvent = { type: 'ConnectionActivated', data: changeOf(connection, at) };
    // One that was begun before the login lapsed may still go on.
    if (connection.run !== null) return accept(activated);
    const data = { entityId, institutionId, runId, number: runs + 1, trigger: 'activation', requestedAt: at } as const;
    return accept<ConnectionEvent>(activated, { type: 'SyncRequested', data });
  }
  const consequence = consequences[fault];
  return consequence === undefined ? accept() : accept({ type: consequence, data: changeOf(connection, at, fault) });
};

type Refused = Extract<StatusChange, 'ReauthRequired' | 'ConfigurationRefused' | 'AccessRevoked'>;

const consequences: Readonly<Partial<Record<SyncFaultKind, Refused>>> = {
  login_refused: 'ReauthRequired',
  insufficient_rights: 'ConfigurationRefused',
  access_revoked: 'AccessRevoked',
};

export const pause = (connection: Known, { operator, reason, at }: CommandOf<'PauseConnection'>): SetupDecision => {
  if (connection.status !== 'active' && connection.status !== 'errored') return refused(connection);
  return accept({ type: 'ConnectionPaused', data: { ...changeOf(connection, at), operator, reason } });
};

export const resume = (connection: Known, { operator, reason, at }: CommandOf<'ResumeConnection'>): SetupDecision => {
  if (connection.status !== 'paused') return refused(connection);
  return accept({ type: 'ConnectionResumed', data: { ...changeOf(connection, at), operator, reason } });
};
