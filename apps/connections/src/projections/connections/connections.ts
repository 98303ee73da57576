import { faultMessages, statusAfter, type ConnectionEvent } from '@causeway/domain/connections';
import { categoryOf, idOf, type Recorded, type Sequenced } from '@causeway/event-sourcing';
import { rowProjection } from '@causeway/projections';
import { connectionColumns, connectionsView, type ConnectionRow } from '@causeway/read-models';

type Opened = Extract<ConnectionEvent, { type: 'ConnectionOpened' | 'ConnectionDrafted' }>;

export const applyToConnection = (
  row: ConnectionRow | undefined,
  event: Recorded<ConnectionEvent>,
): ConnectionRow | undefined => {
  if (event.type === 'ConnectionOpened' || event.type === 'ConnectionDrafted') return open(idOf(event.stream), event);
  if (row === undefined) return undefined;
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
    case 'ConnectionErrored':
    case 'ReauthRequired':
    case 'AccessRevoked':
    case 'ConnectionRecovered': {
      const { errorCode, errorMessage, changedAt: updatedAt } = event.data;
      return { ...row, status: statusAfter(event.type) ?? row.status, errorCode, errorMessage, updatedAt };
    }
    case 'ConnectionDeleted':
    case 'ConnectionErased':
      return undefined;
    default:
      return row; // Nothing that a client can see has changed.
  }
};

const idle = (row: ConnectionRow, updatedAt: string): ConnectionRow => ({ ...row, syncStatus: 'idle', updatedAt });

const open = (id: string, event: Opened): ConnectionRow => {
  const { organization, environment, entityId, institutionId, institutionName, portalUrl } = event.data;
  const ready = event.type === 'ConnectionOpened';
  const at = ready ? event.data.openedAt : event.data.draftedAt;
  return {
    ...{ organization, environment, id, entityId, institutionId, institutionName, portalUrl },
    kind: ready ? 'ready' : 'setup',
    status: statusAfter(event.type) ?? 'draft',
    syncStatus: 'idle',
    ...{ lastSyncedAt: null, errorCode: null, errorMessage: null, createdAt: at, updatedAt: at },
  };
};

export const connections = rowProjection<ConnectionRow, ConnectionEvent>({
  name: 'connections',
  version: 1,
  table: 'connections',
  columns: connectionColumns,
  key: 'id',
  keysOf: (event: Sequenced) => (categoryOf(event.stream) === 'connection' ? [idOf(event.stream)] : []),
  opens: (event) => event.type === 'ConnectionOpened' || event.type === 'ConnectionDrafted',
  apply: applyToConnection,
  indexes: ['(organization, environment, created_at, id)'],
  views: (table) => connectionsView(table),
});
