import { assertNever } from '@causeway/event-sourcing';
import { statusAfter, type ConnectionEvent, type ConnectionStatus, type SyncFault } from './connection.events.ts';
import type { LastRun } from './schedule.ts';
import type { Scope } from './scope.ts';
import type { CredentialName } from './delegated-user.ts';

export type Known = Readonly<{
  status: ConnectionStatus;
  scope: Scope;
  entityId: string;
  institutionId: string | null;
  connector: string | null;
  /** As whom it logs in. */
  login: Readonly<{
    /** As a user that was made for it at the bank: it takes credentials. */
    isDelegated: boolean;
    /** Changes with whatever the next login is made with. */
    loginId: string | null;
    /** In base64, under the data key of the connection. */
    ciphers: Readonly<Partial<Record<CredentialName, string>>>;
  }>;
  run: Readonly<{ runId: string; fault: SyncFault | null }> | null;
  /** How many runs there have been. */
  runs: number;
  lastRun: LastRun | null;
  /** Runs that were given up on before the ledger told of them, oldest first: it may still. */
  givenUp: readonly string[];
  accountIds: readonly string[];
}>;
export type Connection = Known | Readonly<{ status: 'none' }> | Gone;

/** `erased`: here. Whether it can be read elsewhere is not known, so whoever asks again is let see to that, too. */
export type Gone = Readonly<{
  status: 'gone';
  scope: Scope;
  accountIds: readonly string[];
  deletedAt: string;
  erased: boolean;
}>;

export const isKnown = (connection: Connection): connection is Known =>
  connection.status !== 'none' && connection.status !== 'gone';

/** Older ones are forgotten: their bookings are then no news. */
const givenUpMax = 32;

export const initial: Connection = { status: 'none' };

/** Raised whenever `evolve` or the state changes: a state that was kept aside by another fold is not used. */
export const connectionFoldVersion = 4;

export const evolve = (connection: Connection, event: ConnectionEvent): Connection => {
  if (event.type === 'ConnectionOpened' || event.type === 'ConnectionDrafted') return opened(event);
  if (connection.status === 'gone')
    return { ...connection, erased: connection.erased || event.type === 'ConnectionErased' };
  return isKnown(connection) ? known(connection, event) : connection;
};

type Opening = Extract<ConnectionEvent, { type: 'ConnectionOpened' | 'ConnectionDrafted' }>;

const known = (connection: Known, event: Exclude<ConnectionEvent, Opening>): Connection => {
  switch (event.type) {
    case 'SyncRequested':
      return { ...connection, run: { runId: event.data.runId, fault: null }, runs: event.data.number };
    case 'AccountFound':
      return { ...connection, accountIds: [...connection.accountIds, event.data.accountId] };
    case 'SyncInterrupted':
      return { ...connection, run: { runId: event.data.runId, fault: event.data.fault } };
    case 'SyncCompleted':
      return { ...connection, run: null, lastRun: lastRunOf(event) };
    case 'SyncFailed': {
      const { runId, changes } = event.data;
      const givenUp = changes === null ? [...connection.givenUp, runId].slice(-givenUpMax) : connection.givenUp;
      return { ...connection, run: null, lastRun: lastRunOf(event), givenUp };
    }
    case 'SyncBookedLate':
      return { ...connection, givenUp: connection.givenUp.filter((runId) => runId !== event.data.runId) };
    case 'CredentialsStored':
      return { ...connection, login: withCredentials(connection.login, event.data) };
    case 'VerificationRequested':
      return { ...verifying(connection, event.data.loginId), status: statusAfter(event.type) };
    case 'ConnectionActivated':
    case 'ConfigurationRefused':
    case 'ConnectionErrored':
    case 'ReauthRequired':
    case 'AccessRevoked':
    case 'ConnectionRecovered':
    case 'ConnectionPaused':
    case 'ConnectionResumed':
      return { ...connection, status: statusAfter(event.type) };
    case 'ConnectionDeleted': {
      const { scope, accountIds } = connection;
      return { status: 'gone', scope, accountIds, deletedAt: event.data.deletedAt, erased: false };
    }
    case 'ConnectionErased':
      return connection;
    default:
      return assertNever(event);
  }
};

const verifying = (connection: Known, loginId: string): Known => ({
  ...connection,
  login: { ...connection.login, loginId },
});

type Stored = Extract<ConnectionEvent, { type: 'CredentialsStored' }>['data'];

const withCredentials = (login: Known['login'], { loginId, ciphers }: Stored): Known['login'] => ({
  ...login,
  loginId,
  ciphers: withCiphers(login.ciphers, ciphers),
});

type Ciphers = Known['login']['ciphers'];

/** Null clears; what is left out stays. */
export const withCiphers = (known: Ciphers, given: Readonly<Partial<Record<CredentialName, string | null>>>): Ciphers =>
  Object.fromEntries(Object.entries({ ...known, ...given }).filter(([, cipher]) => cipher !== null));

type RunEnded = Extract<ConnectionEvent, { type: 'SyncCompleted' | 'SyncFailed' }>;

export const lastRunOf = (event: RunEnded): LastRun => {
  const { runId } = event.data;
  if (event.type === 'SyncCompleted')
    return { runId, endedAt: event.data.completedAt, failures: 0, retryAfterSeconds: null };
  const { failedAt: endedAt, failures, fault } = event.data;
  return { runId, endedAt, failures, retryAfterSeconds: fault.retryAfterSeconds };
};

const opened = (event: Opening): Known => {
  const { organization, environment, entityId, institutionId, connector } = event.data;
  return {
    status: statusAfter(event.type),
    scope: { organization, environment },
    entityId,
    institutionId,
    connector,
    login: { isDelegated: event.type === 'ConnectionDrafted', loginId: null, ciphers: {} },
    run: null,
    runs: 0,
    lastRun: null,
    givenUp: [],
    accountIds: [],
  };
};
