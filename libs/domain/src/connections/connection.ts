import { accept, assertNever, reject, type Decider, type Decision } from '@causeway/event-sourcing';
import {
  statusAfter,
  type ConnectionEvent,
  type ConnectionStatus,
  type Portal,
  type SyncFault,
  type SyncTrigger,
} from './connection.events.ts';
import { evolve, initial, isKnown, type Connection, type Gone, type Known } from './connection.state.ts';
import {
  changeOf,
  completeSetup,
  pause,
  recordLogin,
  resume,
  storeCredentials,
  type SetupCommand,
} from './connection.setup.ts';
import { heldSince } from './schedule.ts';
import type { Scope } from './scope.ts';
import type { Instructions } from './delegated-user.ts';

/** `at`: when the service received the command, UTC. */
export type ConnectionCommand = Readonly<{ connectionId: string; at: string }> &
  (
    | Readonly<{
        type: 'OpenConnection';
        scope: Scope;
        entityId: string;
        portal: Portal;
        /** Null: nothing can log in there yet. */
        connector: string | null;
        /** Null: it needs no setup. */
        instructions: Instructions | null;
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
    /** `fault`: why the ledger could not take all of it; null when it could. */
    | Readonly<{ type: 'CompleteSync'; runId: string; changes: number; fault: SyncFault | null }>
    /** `changes` null: what was sent of it may be booked or not. */
    | Readonly<{ type: 'FailSync'; runId: string; changes: 0 | null; fault: SyncFault }>
    | SetupCommand
    | Readonly<{ type: 'DeleteConnection'; scope: Scope }>
    /** `events`: how many the streams held that were erased. */
    | Readonly<{ type: 'RecordErasure'; keyDestroyedAt: string; events: number }>
  );

export type ConnectionRejection =
  | Readonly<{ code: 'not_found' | 'already_syncing' | 'already_deleted' }>
  | Readonly<{ code: 'wrong_status'; status: ConnectionStatus }>
  | Readonly<{ code: 'cooling_down'; retryAfterSeconds: number }>;

type ConnectionDecision = Decision<ConnectionEvent, ConnectionRejection>;
type CommandOf<T extends ConnectionCommand['type']> = Extract<ConnectionCommand, { type: T }>;

/** Failed runs in a row after which a connection counts as errored. */
export const failuresMax = 5;

/** Where there are no credentials to be given anew, the bank may accept the login again. */
const maySync = ({ status, login }: Known): boolean =>
  status === 'active' || status === 'errored' || (status === 'reauthRequired' && !login.isDelegated);

const isOf = (connection: Known | Gone, { organization, environment }: Scope): boolean =>
  connection.scope.organization === organization && connection.scope.environment === environment;

const decide = (connection: Connection, command: ConnectionCommand): ConnectionDecision => {
  if (command.type === 'OpenConnection') return open(connection, command);
  if (command.type === 'RecordErasure') return recordErasure(connection, command);
  // A deletion may have been cut off: whoever asked for it is let see to the rest.
  const again = command.type === 'DeleteConnection' && connection.status === 'gone' && isOf(connection, command.scope);
  if (again) return reject({ code: 'already_deleted' });
  if (!isKnown(connection)) {
    const asks = 'scope' in command || 'operator' in command || command.type === 'RecordAccount';
    return asks ? reject({ code: 'not_found' }) : accept();
  }
  if ('scope' in command && !isOf(connection, command.scope)) return reject({ code: 'not_found' });
  return decideKnown(connection, command);
};

type Opened = Exclude<ConnectionCommand, CommandOf<'OpenConnection' | 'RecordErasure'>>;

const decideKnown = (connection: Known, command: Opened): ConnectionDecision => {
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
      return failSync(connection, command);
    case 'CompleteSetup':
      return completeSetup(connection, command);
    case 'StoreCredentials':
      return storeCredentials(connection, command);
    case 'RecordLogin':
      return recordLogin(connection, command);
    case 'PauseConnection':
      return pause(connection, command);
    case 'ResumeConnection':
      return resume(connection, command);
    case 'DeleteConnection':
      return accept({ type: 'ConnectionDeleted', data: { ...endOf(connection), deletedAt: command.at } });
    default:
      return assertNever(command);
  }
};

/** What every event of a run says. */
const ofRun = ({ entityId, institutionId }: Pick<Known, 'entityId' | 'institutionId'>, runId: string) => ({
  entityId,
  institutionId,
  runId,
});

const endOf = ({ entityId, accountIds }: Known) => ({ entityId, accountIds });

const recordErasure = (connection: Connection, command: CommandOf<'RecordErasure'>): ConnectionDecision => {
  if (connection.status !== 'gone' || connection.erased) return accept();
  const { accountIds, deletedAt } = connection;
  const { keyDestroyedAt, events, at: erasedAt } = command;
  return accept({ type: 'ConnectionErased', data: { accountIds, events, deletedAt, keyDestroyedAt, erasedAt } });
};

/** Whoever comes second finds it open. */
const open = (connection: Connection, command: CommandOf<'OpenConnection'>): ConnectionDecision => {
  if (connection.status !== 'none') return accept();
  const { scope, entityId, portal, connector, instructions, firstRunId, at } = command;
  const opened = { ...scope, ...portal, entityId };
  if (instructions !== null)
    return accept({ type: 'ConnectionDrafted', data: { ...opened, connector, instructions, draftedAt: at } });
  if (connector === null) throw new Error('a connection that nothing logs in for needs a setup');
  const { institutionId } = portal;
  const data = { ...ofRun({ entityId, institutionId }, firstRunId), number: 1, requestedAt: at };
  return accept(
    { type: 'ConnectionOpened', data: { ...opened, connector, openedAt: at } },
    { type: 'SyncRequested', data: { ...data, trigger: 'activation' } },
  );
};

const startSync = (connection: Known, command: CommandOf<'StartSync'>): ConnectionDecision => {
  const { runId, trigger, at, cooldownSeconds } = command;
  if (runId === connection.run?.runId || runId === connection.lastRun?.runId) return accept();
  if (!maySync(connection)) return reject({ code: 'wrong_status', status: connection.status });
  if (connection.run !== null) return reject({ code: 'already_syncing' });
  const retryAfterSeconds = secondsLeft(connection.lastRun, cooldownSeconds, at);
  if (retryAfterSeconds > 0) return reject({ code: 'cooling_down', retryAfterSeconds });
  const number = connection.runs + 1;
  return accept({ type: 'SyncRequested', data: { ...ofRun(connection, runId), number, trigger, requestedAt: at } });
};

/** Rounded up: the same request repeated after that many seconds is not refused again. */
const secondsLeft = (last: Known['lastRun'], seconds: number, at: string): number => {
  const now = Date.parse(at);
  return last === null ? 0 : Math.ceil((heldSince(last.endedAt, now, seconds * 1000) - now) / 1000 + seconds);
};

const completeSync = (connection: Known, command: CommandOf<'CompleteSync'>): ConnectionDecision => {
  const { runId, changes, at } = command;
  const its = ofRun(connection, runId);
  if (connection.givenUp.includes(runId)) {
    return accept({ type: 'SyncBookedLate', data: { ...its, changes, bookedAt: at } });
  }
  if (connection.run?.runId !== runId) return accept();
  const fault = command.fault ?? connection.run.fault;
  if (fault !== null) return failSync(connection, { runId, fault, changes, at });
  const completed: ConnectionEvent = { type: 'SyncCompleted', data: { ...its, changes, completedAt: at } };
  return maySync(connection) && connection.status !== 'active'
    ? accept<ConnectionEvent>(completed, { type: 'ConnectionRecovered', data: changeOf(connection, at) })
    : accept(completed);
};

type Failure = Readonly<{ runId: string; fault: SyncFault; changes: number | null; at: string }>;

const failSync = (connection: Known, { runId, fault, changes, at }: Failure): ConnectionDecision => {
  if (connection.run?.runId !== runId) return accept();
  const failures = (connection.lastRun?.failures ?? 0) + 1;
  const failed: ConnectionEvent = {
    type: 'SyncFailed',
    data: { ...ofRun(connection, runId), changes, failures, fault, failedAt: at },
  };
  const consequence = consequenceOf(fault, failures, connection.status);
  if (consequence === undefined || statusAfter(consequence) === connection.status) return accept(failed);
  return accept<ConnectionEvent>(failed, { type: consequence, data: changeOf(connection, at, fault.kind) });
};

const consequenceOf = (
  { kind }: SyncFault,
  failures: number,
  status: ConnectionStatus,
): 'ReauthRequired' | 'AccessRevoked' | 'ConnectionErrored' | undefined => {
  if (kind === 'access_revoked') return 'AccessRevoked';
  // What was paused or revoked while the run went on stays so.
  if (kind === 'login_refused') return status === 'active' || status === 'errored' ? 'ReauthRequired' : undefined;
  return status === 'active' && failures >= failuresMax ? 'ConnectionErrored' : undefined;
};

export const connection: Decider<Connection, ConnectionCommand, ConnectionEvent, ConnectionRejection> = {
  initial,
  decide,
  evolve,
};
