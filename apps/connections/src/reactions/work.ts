import { lastRunOf, type ConnectionEvent } from '@causeway/domain/connections';
import { categoryOf, idOf, type Sequenced } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import { dropWork, putWork, type WorkItem } from '@causeway/work-queue';
import { schema } from '../migrations.ts';
import { nextLookAt } from './schedule.ts';

/** What there is to do, by the id of the connection. */
export const syncKind = 'sync';
export const erasureKind = 'erasure';

type Work = Readonly<{
  puts: readonly WorkItem[];
  /** Connections that sync no more. */
  drops: readonly string[];
  /** Runs that are over. */
  ended: readonly string[];
}>;

/** What follows from events of connections. A later event of the same connection replaces what an earlier one asked for. */
export const workOf = (events: readonly Sequenced[], intervalSeconds: number, nowMs: number): Work => {
  const puts = new Map<string, WorkItem>();
  const ended: string[] = [];
  const drops: string[] = [];
  for (const event of events as readonly Sequenced<ConnectionEvent>[]) {
    const id = idOf(event.stream);
    if (event.type === 'SyncCompleted' || event.type === 'SyncFailed') {
      ended.push(event.data.runId);
      const dueMs = nextLookAt(id, lastRunOf(event), intervalSeconds, nowMs);
      const item = itemOf(event, syncKind, event.data.institutionId);
      puts.set(id, { ...item, dueAt: new Date(dueMs).toISOString() });
    }
    // Whoever begins a run by the schedule has the item in hand.
    if (event.type === 'SyncRequested' && event.data.trigger !== 'schedule') {
      puts.set(id, itemOf(event, syncKind, event.data.institutionId));
    }
    if (event.type === 'ConnectionDeleted') {
      drops.push(id);
      puts.set(id, itemOf(event, erasureKind, null));
    }
  }
  return { puts: [...puts.values()], drops, ended };
};

export const concernsWork = ({ stream, type }: Sequenced): boolean =>
  categoryOf(stream) === 'connection' && workTypes.has(type);

const workTypes: ReadonlySet<string> = new Set<ConnectionEvent['type']>([
  'SyncRequested',
  'SyncCompleted',
  'SyncFailed',
  'ConnectionDeleted',
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
    if (drops.length > 0) await dropWork(tx, schema, syncKind, drops);
    if (ended.length > 0) await tx.query('DELETE FROM connections.sync_run WHERE run_id = ANY ($1::uuid[])', [ended]);
  };
