import type { DataKeys } from '@causeway/data-keys';
import type { ConnectionEvent, Scope } from '@causeway/domain/connections';
import type { EventStore } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import { ownContext, type Aggregates } from '../commands/aggregates.ts';

export type Erasure = Readonly<{ connectionId: string; scope: Scope }>;

type Parts = Readonly<{ pool: Pool; store: EventStore; dataKeys: DataKeys; aggregates: Aggregates; now(): string }>;

export const openErasures = async (pool: Pool): Promise<readonly Erasure[]> => {
  const { rows } = await pool.query<Scope & { id: string }>('SELECT * FROM connections.erasure_due');
  return rows.map(({ id, organization, environment }) => ({ connectionId: id, scope: { organization, environment } }));
};

/**
 * Carries a deletion through: the key, the streams of accounts and runs, the notes of pages. Each step may have been
 * done before; the event at the end says that all are.
 */
export const erase = async (parts: Parts, { connectionId, scope }: Erasure): Promise<void> => {
  const { pool, store, dataKeys, aggregates, now } = parts;
  await dataKeys.destroy(connectionId);
  const history = await store.readStream<ConnectionEvent>(`connection-${connectionId}`);
  for (const { type, data } of history) {
    if (type === 'AccountFound') await store.eraseStream(`account-${data.accountId}`);
    if (type === 'SyncRequested') await store.eraseStream(`sync-${data.runId}`);
  }
  await pool.query('DELETE FROM connections.kept_page WHERE connection_id = $1', [connectionId]);
  await pool.query('DELETE FROM connections.sync_run WHERE connection_id = $1', [connectionId]);
  await aggregates.connection({ type: 'RecordErasure', connectionId, at: now() }, ownContext(scope));
};
