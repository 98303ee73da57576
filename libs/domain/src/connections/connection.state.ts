import { assertNever } from '@causeway/event-sourcing';
import { statusAfter, type ConnectionEvent, type ConnectionStatus, type SyncFault } from './connection.events.ts';
import type { LastRun } from './schedule.ts';
import type { Scope } from './scope.ts';

export type Known = Readonly<{
  status: ConnectionStatus;
  scope: Scope;
  entityId: string;
  institutionId: string | null;
  connector: string | null;
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
export type Gone = Readonly<{ status: 'gone'; scope: Scope; accountIds: readonly string[]; erased: boolean }>;

export const isKnown = (connection: Connection): connection is Known =>
  connection.status !== 'none' && connection.status !== 'gone';

/** Older ones are forgotten: their bookings are then no news. */
const givenUpMax = 32;

export const initial: Connection = { status: 'none' };

/** Raised whenever `evolve` or the state changes: a state that was kept aside by another fold is not used. */
export const connectionFoldVersion = 2;

export const evolve = (connection: Connection, event: ConnectionEvent): Connection => {
  if (event.type === 'ConnectionOpened' || event.type === 'ConnectionDrafted') return opened(event);
  if (connection.status === 'gone')
    return { ...connection, erased: connection.erased || event.type === 'ConnectionErased' };
  if (!isKnown(connection)) return connection;
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
    case 'ConnectionErrored':
    case 'ReauthRequired':
    case 'AccessRevoked':
    case 'ConnectionRecovered':
      return { ...connection, status: statusAfter(event.type) ?? connection.status };
    case 'ConnectionDeleted':
      return { status: 'gone', scope: connection.scope, accountIds: connection.accountIds, erased: false };
    case 'ConnectionErased':
      return connection;
    default:
      return assertNever(event);
  }
};

type RunEnded = Extract<ConnectionEvent, { type: 'SyncCompleted' | 'SyncFailed' }>;

export const lastRunOf = (event: RunEnded): LastRun => {
  const { runId } = event.data;
  if (event.type === 'SyncCompleted')
    return { runId, endedAt: event.data.completedAt, failures: 0, retryAfterSeconds: null };
  const { failedAt: endedAt, failures, fault } = event.data;
  return { runId, endedAt, failures, retryAfterSeconds: fault.retryAfterSeconds };
};

const opened = (event: Extract<ConnectionEvent, { type: 'ConnectionOpened' | 'ConnectionDrafted' }>): Known => {
  const { organization, environment, entityId, institutionId } = event.data;
  return {
    status: statusAfter(event.type) ?? 'draft',
    scope: { organization, environment },
    entityId,
    institutionId,
    connector: event.type === 'ConnectionOpened' ? event.data.connector : null,
    run: null,
    runs: 0,
    lastRun: null,
    givenUp: [],
    accountIds: [],
  };
};
