import { lastRunOf, type ConnectionEvent, type EntityEvent } from '@causeway/domain/connections';
import { categoryOf, idOf, type Sequenced } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import { dropWork, putWork, type WorkItem } from '@causeway/work-queue';
import { schema } from '../migrations.ts';
import { nextLookAt } from './schedule.ts';

/** What there is to do, by the id of the connection. */
export const syncKind = 'sync';
export const verificationKind = 'verification';
export const erasureKind = 'erasure';
/** By the id of the entity. */
export const entityErasureKind = 'entity-erasure';

type Work = Readonly<{
  puts: readonly WorkItem[];
  /** Connections that neither sync nor log in any more. */
  drops: readonly string[];
  /** Runs that are over. */
  ended: readonly string[];
}>;

/** What follows from events of connections. A later event of the same connection replaces what an earlier one asked for. */
export const workOf = (events: readonly Sequenced[], intervalSeconds: number, nowMs: number): Work => {
  const puts = new Map<string, WorkItem>();
  const put = (item: WorkItem): void => void puts.set(`${item.kind} ${item.id}`, item);
  const ended: string[] = [];
  const drops: string[] = [];
  for (const event of events as readonly Sequenced<ConnectionEvent | EntityEvent>[]) {
    const id = idOf(event.stream);
    if (event.type === 'SyncCompleted' || event.type === 'SyncFailed') {
      ended.push(event.data.runId);
      const dueMs = nextLookAt(id, lastRunOf(event), intervalSeconds, nowMs);
      const item = itemOf(event, syncKind, event.data.institutionId);
      put({ ...item, dueAt: new Date(dueMs).toISOString() });
    }
    // Whoever begins a run by the schedule has the item in hand.
    if (event.type === 'SyncRequested' && event.data.trigger !== 'schedule') {
      put(itemOf(event, syncKind, event.data.institutionId));
    }
    if (event.type === 'ConnectionResumed') put(itemOf(event, syncKind, event.data.institutionId));
    if (event.type === 'VerificationRequested') put(itemOf(event, verificationKind, event.data.institutionId));
    if (event.type === 'EntityDeleted') put(itemOf(event, entityErasureKind, null));
    if (event.type === 'ConnectionDeleted') {
      drops.push(id);
      puts.delete(`${syncKind} ${id}`);
      puts.delete(`${verificationKind} ${id}`);
      put(itemOf(event, erasureKind, null));
    }
  }
  return { puts: [...puts.values()], drops, ended };
};

export const concernsWork = ({ stream, type }: Sequenced): boolean =>
  ['connection', 'entity'].includes(categoryOf(stream)) && workTypes.has(type);

const workTypes: ReadonlySet<string> = new Set<(ConnectionEvent | EntityEvent)['type']>([
  'SyncRequested',
  'SyncCompleted',
  'SyncFailed',
  'ConnectionResumed',
  'VerificationRequested',
  'ConnectionDeleted',
  'EntityDeleted',
]);

const itemOf = ({ stream, metadata }: Sequenced, kind: string, institution: string | null): WorkItem => {
  const { organization, environment } = metadata;
  if (organization === null || environment === null) throw new Error(`${stream} has no owner`);
  return { kind, id: idOf(stream), organization, environment, institution };
};

/** Keeps the work queue to what the events say. Safe to repeat: whoever takes an item looks at what is so by then. */
export const takeWork =
  (intervalSeconds: number, now: () => string) =>
  async (tx: PoolClient, events: readonly Sequenced[]): Promise<void> => {
    const { puts, drops, ended } = workOf(events, intervalSeconds, Date.parse(now()));
    await putWork(tx, schema, puts);
    for (const kind of drops.length > 0 ? [syncKind, verificationKind] : []) await dropWork(tx, schema, kind, drops);
    if (ended.length > 0) await tx.query('DELETE FROM connections.sync_run WHERE run_id = ANY ($1::uuid[])', [ended]);
  };
