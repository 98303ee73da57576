import type { ConnectionEvent, LastRun } from '@causeway/domain/connections';
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
    const last = endOf(event);
    if (last !== undefined) {
      ended.push(last.runId);
      const dueMs = nextLookAt(id, last.lastRun, intervalSeconds, nowMs);
      puts.set(id, { ...itemOf(event, syncKind, last.institutionId), dueAt: new Date(dueMs).toISOString() });
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

type End = Readonly<{ runId: string; institutionId: string | null; lastRun: LastRun }>;

const endOf = (event: ConnectionEvent): End | undefined => {
  if (event.type === 'SyncCompleted') {
    const { completedAt: endedAt } = event.data;
    return { ...event.data, lastRun: { endedAt, failures: 0, retryAfterSeconds: null } };
  }
  if (event.type !== 'SyncFailed') return undefined;
  const { failedAt: endedAt, failures, fault } = event.data;
  return { ...event.data, lastRun: { endedAt, failures, retryAfterSeconds: fault.retryAfterSeconds } };
};

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
