import { BankFault, type BankAccess, type BankSession, type Connector } from '@causeway/bank-connectors';
import { DataKeyDestroyed, type DataKeys } from '@causeway/data-keys';
import { connection, isKnown, type ConnectionEvent, type Known, type SyncFault } from '@causeway/domain/connections';
import {
  StreamErased,
  type Context,
  type EventStore,
  type Position,
  type Recorded,
  type Revision,
} from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Aggregates } from '../commands/aggregates.ts';
import { ConnectionGone, fetchInto } from './fetch.ts';
import type { KeptPages } from './kept-pages.ts';
import { openJournal, type Run, type RunJournal } from './run-journal.ts';

export type SyncParts = Readonly<{
  pool: Pool;
  store: EventStore;
  dataKeys: DataKeys;
  aggregates: Aggregates;
  kept: KeptPages;
  connectors: Readonly<Record<string, Connector>>;
  accessTo(connectionId: string, institutionId: string): BankAccess;
  /** Sessions of runs that this process fetches or has fetched; ended with their run. */
  sessions: Map<string, BankSession>;
  /** How far the relay has published. */
  published(): Promise<Position>;
  now(): string;
  /** A run that hears nothing of the bank, or of the ledger, for this long has failed. */
  silenceMaxMs: number;
}>;

export type RunRef = Readonly<{ connectionId: string; runId: string }>;

/** How often a run looks whether it was ended from outside: by the ledger's answer, or by the connection's deletion. */
const watchMs = 250;

/**
 * Takes one run to its end: fetches, sends pages on, and waits for the ledger's answer. Begins or resumes; a run that
 * is over, or whose connection is gone, is left alone.
 */
export const syncRun =
  (parts: SyncParts) =>
  async (ref: RunRef, signal: AbortSignal): Promise<void> => {
    const found = await loadRun(parts.store, ref);
    if (found === undefined) return;
    const watch = watched(parts.store, ref, signal);
    try {
      const journal = await openJournal(parts, found.run);
      if (!journal.isFetched()) await fetchAndClose(parts, found, journal, watch.signal);
      if (journal.isFetched()) await untilAnswered(parts, found.run, watch.signal);
    } catch (error) {
      // Whatever broke off because the run was ended from outside is no fault.
      if (!watch.isOver() && !isGone(error)) throw error;
    } finally {
      watch.stop();
      const session = parts.sessions.get(ref.runId);
      parts.sessions.delete(ref.runId);
      // The ledger's answer may have come to another process than the one that has the session.
      if (watch.isCompleted()) await session?.settle();
    }
  };

const isGone = (error: unknown): boolean =>
  [ConnectionGone, DataKeyDestroyed, StreamErased].some((gone) => error instanceof gone);

export type Found = Readonly<{ run: Run; state: Known; context: Context; requestedAt: number }>;

const loadRun = async (store: EventStore, { connectionId, runId }: RunRef): Promise<Found | undefined> => {
  const history = await store.readStream<ConnectionEvent>(`connection-${connectionId}`);
  const state = history.reduce(connection.evolve, connection.initial);
  if (!isKnown(state) || state.run?.runId !== runId || state.connector === null) return undefined;
  const requested = history.findLast(isRequest);
  if (requested === undefined) return undefined;
  const metadata = { ...requested.metadata, causationId: requested.id, runId };
  const { entityId, connector } = state;
  const run = { runId, number: requested.data.number, connectionId, entityId, connector, metadata };
  return { run, state, context: { metadata }, requestedAt: Date.parse(requested.data.requestedAt) };
};

type SyncRequested = Extract<ConnectionEvent, { type: 'SyncRequested' }>;

const isRequest = (event: Recorded<ConnectionEvent>): event is Recorded<SyncRequested> =>
  event.type === 'SyncRequested';

const fetchAndClose = async (
  parts: SyncParts,
  found: Found,
  journal: RunJournal,
  signal: AbortSignal,
): Promise<void> => {
  const { aggregates, now } = parts;
  const { run, state, context } = found;
  const fault = state.run?.fault ?? (await fetchInto(parts, found, journal, signal).catch(asFault(signal)));
  signal.throwIfAborted();
  const its = { connectionId: run.connectionId, runId: run.runId, at: now() };
  if (fault !== undefined && journal.pages() === 0) {
    await aggregates.connection({ type: 'FailSync', ...its, fault }, context);
    return;
  }
  if (fault !== undefined) await aggregates.connection({ type: 'InterruptSync', ...its, fault }, context);
  await journal.finish(await accountsOf(parts.store, run), now());
};

/** What the bank's fault means for the run. Everything else is a fault of ours, and thrown on. */
const asFault =
  (signal: AbortSignal) =>
  (error: unknown): SyncFault => {
    if (signal.aborted || !(error instanceof BankFault)) throw error;
    return { kind: error.kind, message: error.message, retryAfterSeconds: error.retryAfterSeconds ?? null };
  };

const accountsOf = async (store: EventStore, { connectionId }: Run): Promise<readonly string[]> => {
  const history = await store.readStream<ConnectionEvent>(`connection-${connectionId}`);
  const state = history.reduce(connection.evolve, connection.initial);
  return isKnown(state) ? state.accountIds : [];
};

/** The consumer of the ledger's answer ends the run; here it ends when that never comes. */
const untilAnswered = async (parts: SyncParts, run: Run, signal: AbortSignal): Promise<void> => {
  const expired = await sleep(parts.silenceMaxMs, true, { signal }).catch(() => false);
  if (expired) await giveUp(parts, run, 'The statement was not booked in time.');
};

/** What was sent on may be lost by now: nothing of it counts as kept, so that the next run sends it again. */
const giveUp = async (parts: SyncParts, { connectionId, runId, metadata }: Run, message: string): Promise<void> => {
  await parts.kept.forget(runId);
  const fault = { kind: 'timed_out', message, retryAfterSeconds: null } as const;
  const command = { type: 'FailSync', connectionId, runId, at: parts.now(), fault } as const;
  await parts.aggregates.connection(command, { metadata });
};

/** A signal that also fires when the run is over. */
const watched = (store: EventStore, { connectionId, runId }: RunRef, outer: AbortSignal) => {
  const over = new AbortController();
  const stopped = new AbortController();
  let state = connection.initial;
  let seen = -1 as Revision;
  let completed = false;
  const look = async (): Promise<void> => {
    const news = await store.readStream<ConnectionEvent>(`connection-${connectionId}`, { after: seen });
    state = news.reduce(connection.evolve, state);
    seen = news.at(-1)?.revision ?? seen;
    completed ||= news.some(({ type, data }) => type === 'SyncCompleted' && data.runId === runId);
    if (!isKnown(state) || state.run?.runId !== runId) over.abort();
  };
  const watching = async (): Promise<void> => {
    while (!stopped.signal.aborted && !over.signal.aborted) {
      await sleep(watchMs, undefined, { signal: stopped.signal }).catch(() => undefined);
      // A look that fails is made again; the work itself hears of a database that is down.
      if (!stopped.signal.aborted) await look().catch(() => undefined);
    }
  };
  void watching();
  return {
    signal: AbortSignal.any([outer, over.signal]),
    isOver: () => over.signal.aborted,
    isCompleted: () => completed,
    stop: () => stopped.abort(),
  };
};
