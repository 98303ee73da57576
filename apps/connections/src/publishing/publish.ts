import {
  connectionDeleted,
  connectionErased,
  connectionStatusChanged,
  statementPart,
  syncCompleted,
  syncFetched,
  type Scope,
} from '@causeway/contracts';
import {
  statusAfter,
  type AccountEvent,
  type ConnectionEvent,
  type EntityEvent,
  type ReservationEvent,
  type StatusChange,
  type SyncRunEvent,
} from '@causeway/domain/connections';
import { assertNever, idOf, type Sequenced } from '@causeway/event-sourcing';
import { outgoing } from '@causeway/service';
import type { Outgoing } from '@causeway/subscriptions';

type Published = Sequenced<ConnectionEvent | SyncRunEvent | AccountEvent | EntityEvent | ReservationEvent>;

/** Our events are private. This is all that other services may learn of them. */
export const publish = (recorded: Sequenced): Outgoing | undefined => {
  const { organization, environment } = recorded.metadata;
  if (organization === null || environment === null) return undefined;
  return messageFor(recorded as Published, { organization, environment });
};

/** The same for one topic alone. */
export const publishTo = (topic: string, recorded: Sequenced): Outgoing | undefined => {
  const told = publish(recorded);
  return told?.topic === topic ? told : undefined;
};

const messageFor = (event: Published, scope: Scope): Outgoing | undefined => {
  const id = idOf(event.stream);
  switch (event.type) {
    case 'StatementReceived': {
      const { entityId, connectionId, accountId, currency, connector, run, page, part, parts } = event.data;
      const { bankDay } = event.data;
      const whose = { ...scope, entityId, connectionId, accountId, currency, runId: id, connector };
      const attachment = Buffer.from(event.data.cipher, 'base64');
      return outgoing(event, statementPart, { ...whose, run, page, part, parts, bankDay }, attachment);
    }
    case 'SyncFetched': {
      const { entityId, connectionId, run, accountIds, pages } = event.data;
      return outgoing(event, syncFetched, { ...scope, entityId, connectionId, runId: id, run, accountIds, pages });
    }
    case 'SyncCompleted':
      return ended(event, scope, event.data.completedAt);
    case 'SyncFailed':
      // What came before the fault is booked, and its receivers must hear of it like of any other sync.
      return ended(event, scope, event.data.failedAt);
    case 'SyncBookedLate':
      return ended(event, scope, event.data.bookedAt);
    case 'VerificationRequested':
    case 'ConnectionActivated':
    case 'ConfigurationRefused':
    case 'ConnectionErrored':
    case 'ReauthRequired':
    case 'AccessRevoked':
    case 'ConnectionRecovered':
    case 'ConnectionPaused':
    case 'ConnectionResumed':
      return statusChanged(event, scope);
    case 'ConnectionDeleted':
      return outgoing(event, connectionDeleted, { ...scope, connectionId: id, deletedAt: event.data.deletedAt });
    case 'ConnectionErased': {
      const { accountIds, ...facts } = event.data;
      return outgoing(event, connectionErased, { ...scope, connectionId: id, accounts: accountIds.length, ...facts });
    }
    default:
      return toldNobody(event);
  }
};

type Told = StatusChange | SyncRunEvent['type'] | Ended['type'] | 'ConnectionDeleted' | 'ConnectionErased';

/** What is nobody's business but ours. */
const toldNobody = (event: Exclude<Published, { type: Told }>): undefined => {
  switch (event.type) {
    case 'ConnectionOpened':
    case 'ConnectionDrafted':
    case 'CredentialsStored':
    case 'SyncRequested':
    case 'AccountFound':
    case 'SyncInterrupted':
    case 'AccountDiscovered':
    case 'AccountChanged':
    case 'EntityRegistered':
    case 'EntityChanged':
    case 'EntityDeleted':
    case 'NameClaimed':
    case 'NameReleased':
      return undefined;
    default:
      return assertNever(event);
  }
};

/** A new connection tells only of its second status on: of what opens it nobody is told. */
const statusChanged = (event: Sequenced<Extract<ConnectionEvent, { type: StatusChange }>>, scope: Scope): Outgoing => {
  const { entityId, previousStatus, errorCode, errorMessage, changedAt } = event.data;
  const its = { entityId, connectionId: idOf(event.stream), previousStatus, status: statusAfter(event.type) };
  return outgoing(event, connectionStatusChanged, { ...scope, ...its, errorCode, errorMessage, changedAt });
};

type Ended = Sequenced<Extract<ConnectionEvent, { type: 'SyncCompleted' | 'SyncFailed' | 'SyncBookedLate' }>>;

/** Once for each run that changed something: one that was given up on is announced when it is booked after all. */
const ended = (event: Ended, scope: Scope, completedAt: string): Outgoing | undefined => {
  const { entityId, runId, changes } = event.data;
  if (changes === null || changes === 0) return undefined;
  const connectionId = idOf(event.stream);
  return outgoing(event, syncCompleted, { ...scope, entityId, connectionId, runId, changes, completedAt });
};
