import {
  faultMessages,
  setupProgress,
  statusAfter,
  type ConnectionEvent,
  type Instructions,
  type StatusChange,
} from '@causeway/domain/connections';
import { assertNever, categoryOf, idOf, type Sequenced } from '@causeway/event-sourcing';
import { rowProjection } from '@causeway/projections';
import { connectionColumns, connectionsView, type ConnectionRow, type ConnectionSetup } from '@causeway/read-models';

type Opened = Extract<ConnectionEvent, { type: 'ConnectionOpened' | 'ConnectionDrafted' }>;
type Changed = Extract<ConnectionEvent, { type: StatusChange }>;

export const applyToConnection = (
  row: ConnectionRow | undefined,
  event: ConnectionEvent,
  id: string,
): ConnectionRow | undefined => {
  if (event.type === 'ConnectionOpened' || event.type === 'ConnectionDrafted') return open(id, event);
  return row && changed(row, event);
};

const changed = (row: ConnectionRow, event: Exclude<ConnectionEvent, Opened>): ConnectionRow | undefined => {
  switch (event.type) {
    case 'SyncRequested':
      return { ...row, syncStatus: 'syncing', updatedAt: event.data.requestedAt };
    case 'SyncCompleted': {
      const { completedAt: at } = event.data;
      return { ...idle(row, at), lastSyncedAt: at, errorCode: null, errorMessage: null };
    }
    case 'SyncFailed': {
      const { fault, failedAt } = event.data;
      return { ...idle(row, failedAt), errorCode: fault.kind, errorMessage: faultMessages[fault.kind] };
    }
    case 'CredentialsStored':
      return withCredentials(row, event.data);
    case 'ConnectionPaused':
    case 'ConnectionResumed':
      return withStatus(row, event);
    case 'VerificationRequested':
    case 'ConnectionActivated':
    case 'ConfigurationRefused':
    case 'ConnectionErrored':
    case 'ReauthRequired':
    case 'AccessRevoked':
    case 'ConnectionRecovered': {
      const { errorCode, errorMessage } = event.data;
      return { ...withStatus(row, event), errorCode, errorMessage };
    }
    case 'ConnectionDeleted':
    case 'ConnectionErased':
      return undefined;
    case 'AccountFound':
    case 'SyncInterrupted':
    case 'SyncBookedLate':
      return row; // Nothing that a client can see has changed.
    default:
      return assertNever(event);
  }
};

const idle = (row: ConnectionRow, updatedAt: string): ConnectionRow => ({ ...row, syncStatus: 'idle', updatedAt });

/** Ready from its first activation on, whatever comes then. */
const withStatus = (row: ConnectionRow, { type, data: { changedAt: updatedAt } }: Changed): ConnectionRow => {
  const status = statusAfter(type);
  const kind = status === 'active' ? 'ready' : row.kind;
  return { ...row, kind, status, updatedAt, setup: setupAt(row.setup, status, row.setup.credentialsPresent) };
};

type Stored = Extract<ConnectionEvent, { type: 'CredentialsStored' }>['data'];

const withCredentials = (row: ConnectionRow, { present, storedAt: updatedAt }: Stored): ConnectionRow =>
  present === row.setup.credentialsPresent
    ? row
    : { ...row, updatedAt, setup: setupAt(row.setup, row.status, present) };

const setupAt = (
  setup: ConnectionSetup,
  status: ConnectionRow['status'],
  credentialsPresent: boolean,
): ConnectionSetup => {
  const isServed = setup.status !== 'provisioning';
  return { ...setup, credentialsPresent, ...setupProgress({ status, isServed, credentialsPresent }) };
};

const setupFrom = (
  status: ConnectionRow['status'],
  isServed: boolean,
  instructions: Instructions | null,
): ConnectionSetup => ({
  instructions,
  credentialsPresent: false,
  ...setupProgress({ status, isServed, credentialsPresent: false }),
});

const open = (id: string, event: Opened): ConnectionRow => {
  const { organization, environment, entityId, institutionId, institutionName, portalUrl, connector } = event.data;
  const ready = event.type === 'ConnectionOpened';
  const at = ready ? event.data.openedAt : event.data.draftedAt;
  const status = statusAfter(event.type);
  return {
    ...{ organization, environment, id, entityId, institutionId, institutionName, portalUrl },
    kind: ready ? 'ready' : 'setup',
    status,
    syncStatus: 'idle',
    ...{ lastSyncedAt: null, errorCode: null, errorMessage: null, createdAt: at, updatedAt: at },
    setup: setupFrom(status, connector !== null, ready ? null : event.data.instructions),
  };
};

export const connections = rowProjection<ConnectionRow, ConnectionEvent>({
  name: 'connections',
  version: 2,
  table: 'connections',
  columns: connectionColumns,
  key: 'id',
  keysOf: (event: Sequenced) => (categoryOf(event.stream) === 'connection' ? [idOf(event.stream)] : []),
  opens: (event) => event.type === 'ConnectionOpened' || event.type === 'ConnectionDrafted',
  closes: ({ type }) => type === 'ConnectionDeleted' || type === 'ConnectionErased',
  apply: applyToConnection,
  indexes: ['(organization, environment, created_at, id)', '(entity_id)'],
  views: (table) => connectionsView(table),
});
