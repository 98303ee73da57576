import { accept, assertNever, reject, type Decider, type Decision } from '@causeway/event-sourcing';
import {
  statusAfter,
  type ConnectionEvent,
  type ConnectionStatus,
  type Portal,
  type SyncFault,
  type SyncTrigger,
} from './connection.events.ts';
import type { Scope } from './scope.ts';

/** `at`: when the service received the command, UTC. */
export type ConnectionCommand = Readonly<{ connectionId: string; at: string }> &
  (
    | Readonly<{
        type: 'OpenConnection';
        scope: Scope;
        entityId: string;
        portal: Portal;
        /** Null: it needs a setup first. */
        connector: string | null;
        /** The run that an active connection begins with. */
        firstRunId: string;
      }>
    | Readonly<{
        type: 'StartSync';
        scope: Scope;
        runId: string;
        trigger: SyncTrigger;
        /** From the end of a run to the start of the next. */
        cooldownSeconds: number;
      }>
    | Readonly<{ type: 'RecordAccount'; accountId: string }>
    | Readonly<{ type: 'InterruptSync'; runId: string; fault: SyncFault }>
    | Readonly<{ type: 'CompleteSync'; runId: string; changes: number; refusal: string | null }>
    | Readonly<{ type: 'FailSync'; runId: string; fault: SyncFault }>
    | Readonly<{ type: 'DeleteConnection'; scope: Scope }>
    | Readonly<{ type: 'RecordErasure' }>
  );

export type ConnectionRejection =
  | Readonly<{ code: 'not_found' | 'already_syncing' | 'already_deleted' }>
  | Readonly<{ code: 'wrong_status'; status: ConnectionStatus }>
  | Readonly<{ code: 'cooling_down'; retryAfterSeconds: number }>;

export type Known = Readonly<{
  status: ConnectionStatus;
  scope: Scope;
  entityId: string;
  institutionId: string | null;
  connector: string | null;
  run: Readonly<{ runId: string; fault: SyncFault | null }> | null;
  /** How many runs there have been. */
  runs: number;
  lastRunEndedAt: string | null;
  /** Failed runs since the last one that succeeded. */
  failures: number;
  accountIds: readonly string[];
}>;
export type Connection = Known | Readonly<{ status: 'none' }> | Gone;

/** `erased`: here. Whether it can be read elsewhere is not known, so whoever asks again is let see to that, too. */
type Gone = Readonly<{ status: 'gone'; scope: Scope; accountIds: readonly string[]; erased: boolean }>;

type ConnectionDecision = Decision<ConnectionEvent, ConnectionRejection>;
type CommandOf<T extends ConnectionCommand['type']> = Extract<ConnectionCommand, { type: T }>;

/** Failed runs in a row after which a connection counts as errored. */
export const failuresMax = 5;

/** Statuses a sync may start in. `reauthRequired` for connectors without credentials: the bank may accept again. */
const syncable: readonly ConnectionStatus[] = ['active', 'errored', 'reauthRequired'];

export const isKnown = (connection: Connection): connection is Known =>
  connection.status !== 'none' && connection.status !== 'gone';

const isOf = (connection: Known | Gone, { organization, environment }: Scope): boolean =>
  connection.scope.organization === organization && connection.scope.environment === environment;

const decide = (connection: Connection, command: ConnectionCommand): ConnectionDecision => {
  if (command.type === 'OpenConnection') return open(connection, command);
  if (command.type === 'RecordErasure') return recordErasure(connection, command);
  // A deletion may have been cut off: whoever asked for it is let see to the rest.
  const again = command.type === 'DeleteConnection' && connection.status === 'gone' && isOf(connection, command.scope);
  if (again) return reject({ code: 'already_deleted' });
  if (!isKnown(connection)) {
    const asks = 'scope' in command || command.type === 'RecordAccount';
    return asks ? reject({ code: 'not_found' }) : accept();
  }
  switch (command.type) {
    case 'StartSync':
      return startSync(connection, command);
    case 'RecordAccount':
      if (connection.accountIds.includes(command.accountId)) return accept();
      return accept({ type: 'AccountFound', data: { accountId: command.accountId, foundAt: command.at } });
    case 'InterruptSync':
      if (connection.run?.runId !== command.runId || connection.run.fault !== null) return accept();
      return accept({
        type: 'SyncInterrupted',
        data: { runId: command.runId, fault: command.fault, interruptedAt: command.at },
      });
    case 'CompleteSync':
      return completeSync(connection, command);
    case 'FailSync':
      return failSync(connection, { ...command, changes: 0 });
    case 'DeleteConnection':
      if (!isOf(connection, command.scope)) return reject({ code: 'not_found' });
      return accept({ type: 'ConnectionDeleted', data: { ...endOf(connection), deletedAt: command.at } });
    default:
      return assertNever(command);
  }
};

const endOf = ({ entityId, accountIds }: Known) => ({ entityId, accountIds });

const recordErasure = (connection: Connection, { at }: CommandOf<'RecordErasure'>): ConnectionDecision =>
  connection.status === 'gone' && !connection.erased
    ? accept({ type: 'ConnectionErased', data: { accountIds: connection.accountIds, erasedAt: at } })
    : accept();

/** Whoever comes second finds it open. */
const open = (connection: Connection, command: CommandOf<'OpenConnection'>): ConnectionDecision => {
  if (connection.status !== 'none') return accept();
  const { scope, entityId, portal, connector, firstRunId, at } = command;
  const opened = { ...scope, ...portal, entityId };
  if (connector === null) return accept({ type: 'ConnectionDrafted', data: { ...opened, draftedAt: at } });
  return accept(
    { type: 'ConnectionOpened', data: { ...opened, connector, openedAt: at } },
    { type: 'SyncRequested', data: { entityId, runId: firstRunId, number: 1, trigger: 'activation', requestedAt: at } },
  );
};

const startSync = (connection: Known, command: CommandOf<'StartSync'>): ConnectionDecision => {
  const { runId, trigger, at, cooldownSeconds } = command;
  if (!isOf(connection, command.scope)) return reject({ code: 'not_found' });
  if (!syncable.includes(connection.status)) return reject({ code: 'wrong_status', status: connection.status });
  if (connection.run !== null) return reject({ code: 'already_syncing' });
  const retryAfterSeconds = secondsLeft(connection.lastRunEndedAt, cooldownSeconds, at);
  if (retryAfterSeconds > 0) return reject({ code: 'cooling_down', retryAfterSeconds });
  const { entityId, runs } = connection;
  return accept({ type: 'SyncRequested', data: { entityId, runId, number: runs + 1, trigger, requestedAt: at } });
};

/** Rounded up: the same request repeated after that many seconds is not refused again. */
const secondsLeft = (since: string | null, seconds: number, at: string): number =>
  since === null ? 0 : Math.ceil((Date.parse(since) - Date.parse(at)) / 1000 + seconds);

const completeSync = (connection: Known, command: CommandOf<'CompleteSync'>): ConnectionDecision => {
  const { runId, changes, refusal, at } = command;
  if (connection.run?.runId !== runId) return accept();
  const fault =
    refusal === null
      ? connection.run.fault
      : ({ kind: 'statement_refused', message: refusal, retryAfterSeconds: null } as const);
  if (fault !== null) return failSync(connection, { runId, fault, changes, at });
  const { entityId, status } = connection;
  const completed: ConnectionEvent = { type: 'SyncCompleted', data: { entityId, runId, changes, completedAt: at } };
  if (status === 'active') return accept(completed);
  return accept<ConnectionEvent>(completed, {
    type: 'ConnectionRecovered',
    data: { entityId, previousStatus: status, errorCode: null, errorMessage: null, changedAt: at },
  });
};

type Failure = Readonly<{ runId: string; fault: SyncFault; changes: number; at: string }>;

const failSync = (connection: Known, { runId, fault, changes, at }: Failure): ConnectionDecision => {
  if (connection.run?.runId !== runId) return accept();
  const { entityId, status: previousStatus } = connection;
  const failed: ConnectionEvent = { type: 'SyncFailed', data: { entityId, runId, changes, fault, failedAt: at } };
  const consequence = consequenceOf(fault, connection);
  if (consequence === undefined || statusAfter(consequence) === previousStatus) return accept(failed);
  const data = { entityId, previousStatus, errorCode: fault.kind, errorMessage: fault.message, changedAt: at };
  return accept<ConnectionEvent>(failed, { type: consequence, data });
};

const consequenceOf = (
  { kind }: SyncFault,
  { failures, status }: Known,
): 'ReauthRequired' | 'AccessRevoked' | 'ConnectionErrored' | undefined => {
  if (kind === 'login_refused') return 'ReauthRequired';
  if (kind === 'access_revoked') return 'AccessRevoked';
  return status === 'active' && failures + 1 >= failuresMax ? 'ConnectionErrored' : undefined;
};

const evolve = (connection: Connection, event: ConnectionEvent): Connection => {
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
      return { ...connection, run: event.data };
    case 'SyncCompleted':
      return { ...connection, run: null, failures: 0, lastRunEndedAt: event.data.completedAt };
    case 'SyncFailed':
      return { ...connection, run: null, failures: connection.failures + 1, lastRunEndedAt: event.data.failedAt };
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
    lastRunEndedAt: null,
    failures: 0,
    accountIds: [],
  };
};

export const connection: Decider<Connection, ConnectionCommand, ConnectionEvent, ConnectionRejection> = {
  initial: { status: 'none' },
  decide,
  evolve,
};
