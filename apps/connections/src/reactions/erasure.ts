import type { ConnectionEvent, Scope } from '@causeway/domain/connections';
import type { Context, EventStore, Snapshots, StreamName } from '@causeway/event-sourcing';
import { eraseParking } from '@causeway/projections';
import { ownContext } from '@causeway/service';
import { bankOf, type Banks } from '../commands/bank.ts';
import type { Commands } from '../commands/commands.ts';
import { connectionName } from '../commands/names.ts';

type Parts = Pick<Commands, 'pool' | 'store' | 'dataKeys' | 'aggregates' | 'names' | 'now' | keyof Banks> &
  Readonly<{ snapshots: Snapshots }>;

/**
 * Carries a deletion through: the key, the streams of accounts and runs, the notes of pages, the files, the name. Each
 * step may have been done before, and tells the same again; the event at the end says that all are.
 */
export const erase = async (parts: Parts, connectionId: string, scope: Scope): Promise<void> => {
  const { pool, store, snapshots, dataKeys, aggregates, now } = parts;
  const keyDestroyedAt = await dataKeys.destroy(connectionId);
  const stream: StreamName = `connection-${connectionId}`;
  const history = await store.readStream<ConnectionEvent>(stream);
  const context = ownContext(scope);
  const runIds = history.flatMap(({ type, data }) => (type === 'SyncRequested' ? [data.runId] : []));
  let events = 0;
  for (const event of history) events += await undo(parts, connectionId, event, context);
  events += await eraseRuns(store, runIds);
  await pool.query('DELETE FROM connections.kept_page WHERE connection_id = $1', [connectionId]);
  await pool.query('DELETE FROM connections.sync_run WHERE connection_id = $1', [connectionId]);
  await snapshots.drop(stream);
  await aggregates.connection({ type: 'RecordErasure', connectionId, keyDestroyedAt, events, at: now() }, context);
};

/** Resolves to the number of events that were destroyed with it. */
const undo = async (
  parts: Parts,
  connectionId: string,
  { type, data }: ConnectionEvent,
  context: Context,
): Promise<number> => {
  const { pool, store, snapshots, names, now } = parts;
  if (type === 'ConnectionOpened') {
    const bank = bankOf(parts, connectionId, data);
    await bank?.connector.erase(bank.access);
  }
  if (type === 'ConnectionOpened' || type === 'ConnectionDrafted') {
    await names.release(connectionName(data, data.entityId, data), connectionId, now(), context);
  }
  if (type !== 'AccountFound') return 0;
  const account: StreamName = `account-${data.accountId}`;
  const events = await store.eraseStream(account);
  await eraseParking({ pool, store }, 'connections', account);
  await snapshots.drop(account);
  return events;
};

/**
 * A run that brought nothing has no stream, and leaves none; but the last one may still be writing. Resolves to the
 * number of their events.
 */
const eraseRuns = async (store: EventStore, runIds: readonly string[]): Promise<number> => {
  let events = 0;
  for (const runId of runIds)
    events += await store.eraseStream(`sync-${runId}`, { ifWritten: runId !== runIds.at(-1) });
  return events;
};
