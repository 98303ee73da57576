import { statusAfter, type ConnectionEvent, type LastRun } from '@causeway/domain/connections';
import { categoryOf, idOf, type Recorded, type Sequenced } from '@causeway/event-sourcing';
import { rowProjection } from '@causeway/projections';
import { connectionColumns, connectionsView, type ConnectionRow } from '@causeway/read-models';

/** What the row also holds for the service's own work list. */
type Runs = Readonly<{
  connector: string | null;
  run: Readonly<{ runId: string }> | null;
  lastRun: LastRun | null;
}>;
type Row = ConnectionRow & Runs;
type Opened = Extract<ConnectionEvent, { type: 'ConnectionOpened' | 'ConnectionDrafted' }>;

export const applyToConnection = (row: Row | undefined, event: Recorded<ConnectionEvent>): Row | undefined => {
  if (event.type === 'ConnectionOpened' || event.type === 'ConnectionDrafted') return open(idOf(event.stream), event);
  if (row === undefined) return undefined;
  switch (event.type) {
    case 'SyncRequested':
      return { ...row, syncStatus: 'syncing', run: { runId: event.data.runId }, updatedAt: event.data.requestedAt };
    case 'SyncCompleted': {
      const { completedAt: at } = event.data;
      const lastRun = { endedAt: at, failures: 0, retryAfterSeconds: null };
      return { ...idle(row, lastRun), lastSyncedAt: at, errorCode: null, errorMessage: null };
    }
    case 'SyncFailed': {
      const { fault, failedAt: endedAt } = event.data;
      const failures = (row.lastRun?.failures ?? 0) + 1;
      const lastRun = { endedAt, failures, retryAfterSeconds: fault.retryAfterSeconds };
      return { ...idle(row, lastRun), errorCode: fault.kind, errorMessage: fault.message };
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

const idle = (row: Row, lastRun: LastRun): Row => ({
  ...row,
  syncStatus: 'idle',
  run: null,
  lastRun,
  updatedAt: lastRun.endedAt,
});

const open = (id: string, event: Opened): Row => {
  const { organization, environment, entityId, institutionId, institutionName, portalUrl } = event.data;
  const ready = event.type === 'ConnectionOpened';
  const at = ready ? event.data.openedAt : event.data.draftedAt;
  return {
    ...{ organization, environment, id, entityId, institutionId, institutionName, portalUrl },
    kind: ready ? 'ready' : 'setup',
    status: statusAfter(event.type) ?? 'draft',
    syncStatus: 'idle',
    ...{ lastSyncedAt: null, errorCode: null, errorMessage: null, createdAt: at, updatedAt: at },
    ...{ connector: ready ? event.data.connector : null, run: null, lastRun: null },
  };
};

/** What of a row others may see. */
export const shownOf = (row: Row): ConnectionRow =>
  Object.fromEntries(Object.keys(connectionColumns).map((name) => [name, row[name as keyof Row]])) as ConnectionRow;

export const connections = rowProjection<Row, ConnectionEvent>({
  name: 'connections',
  version: 1,
  table: 'connections',
  columns: { ...connectionColumns, connector: 'text', run: 'jsonb', lastRun: 'jsonb' },
  key: 'id',
  keysOf: (event: Sequenced) => (categoryOf(event.stream) === 'connection' ? [idOf(event.stream)] : []),
  opens: (event) => event.type === 'ConnectionOpened' || event.type === 'ConnectionDrafted',
  apply: applyToConnection,
  indexes: ['(organization, environment, created_at, id)', '(id) WHERE run IS NOT NULL'],
  views: (table) => [
    ...connectionsView(table),
    'DROP VIEW IF EXISTS connections.sync_state',
    `CREATE VIEW connections.sync_state AS
     SELECT id, organization, environment, status, connector, run, last_run FROM ${table('connections')}`,
  ],
});
