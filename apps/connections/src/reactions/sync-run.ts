import { BankFault } from '@causeway/bank-connectors';
import { DataKeyDestroyed } from '@causeway/data-keys';
import { isKnown, type ConnectionEvent, type SyncFault } from '@causeway/domain/connections';
import { StreamErased, type EventStore, type Revision } from '@causeway/event-sourcing';
import type { Hold } from '@causeway/work-queue';
import { bankOf } from '../commands/bank.ts';
import { RunSetAside } from './back-pressure.ts';
import { ConnectionGone, fetchInto } from './fetch.ts';
import { endSetAside, isSetAside, settle } from './run-ends.ts';
import { openJournal, type RunJournal } from './run-journal.ts';
import type { Found, SyncParts } from './sync-parts.ts';

/**
 * Fetches what the open run of a connection is for and sends it on: begins or resumes. Nothing is waited for then: the
 * consumer of the ledger's answer ends the run, but for one of which a message was set aside: its end may never arrive.
 * False where no run is open, or the connection is gone.
 */
export const fetchOpenRun = async (parts: SyncParts, connectionId: string, hold: Hold): Promise<boolean> => {
  const found = await openRun(parts, connectionId);
  if (found === undefined) return false;
  try {
    const { run, context } = found;
    const journal = await openJournal(parts, run, hold.throwIfLost);
    if (!journal.isFetched()) await fetchAndClose(parts, found, journal, hold);
    if (await isSetAside(parts.pool, run.runId)) {
      hold.throwIfLost();
      await endSetAside(parts, run, context);
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  return true;
};

const isGone = (error: unknown): boolean =>
  [ConnectionGone, DataKeyDestroyed, StreamErased].some((gone) => error instanceof gone);

const openRun = async ({ aggregates, store }: SyncParts, connectionId: string): Promise<Found | undefined> => {
  const { state, revision } = await aggregates.connectionNow(connectionId);
  if (!isKnown(state) || state.run === null || state.connector === null || revision === 'none') return undefined;
  const requested = await requestOf(store, connectionId, { ...state.run, revision, accounts: state.accountIds.length });
  const { runId } = state.run;
  const metadata = { ...requested.metadata, causationId: requested.id, runId };
  const { entityId, connector, runs: number } = state;
  return { run: { runId, number, connectionId, entityId, connector, metadata }, state, context: { metadata } };
};

/** More than is recorded of a connection while one run is open, accounts apart. */
const eventsOfRunMax = 64;

type OpenRun = Readonly<{ runId: string; revision: Revision; accounts: number }>;

/** The event that began the run: among the last of its stream, so that the age of the connection costs nothing. */
const requestOf = async (store: EventStore, connectionId: string, { runId, revision, accounts }: OpenRun) => {
  const after = Math.max(-1, revision - accounts - eventsOfRunMax) as Revision;
  const tail = await store.readStream<ConnectionEvent>(`connection-${connectionId}`, { after });
  const requested = tail.find(({ type, data }) => type === 'SyncRequested' && data.runId === runId);
  if (requested === undefined) throw new Error(`run ${runId} is open, and its request is not among the last events`);
  return requested;
};

const fetchAndClose = async (parts: SyncParts, found: Found, journal: RunJournal, hold: Hold): Promise<void> => {
  const { aggregates, now, log } = parts;
  const { run, state, context } = found;
  const { connectionId, runId } = run;
  const { lent, fault } = await fetched(parts, found, journal, hold);
  hold.throwIfLost();
  const its = { connectionId, runId, at: now() };
  if (journal.pages() === 0 && fault === null) {
    // Nothing is new, so there is nothing for the ledger to do.
    await settle(bankOf(parts, connectionId, state), lent, log);
    hold.throwIfLost();
    await aggregates.connection({ type: 'CompleteSync', ...its, changes: 0, fault }, context);
  } else if (journal.pages() === 0 && fault !== null) {
    await aggregates.connection({ type: 'FailSync', ...its, changes: 0, fault }, context);
  } else {
    if (fault !== null) await aggregates.connection({ type: 'InterruptSync', ...its, fault }, context);
    const { state: last } = await aggregates.connectionNow(connectionId);
    const { accountIds } = isKnown(last) ? last : state;
    hold.throwIfLost();
    await journal.finish({ accountIds, lent, fetchedAt: now() });
  }
};

type Attempt = Readonly<{ lent: readonly string[]; fault: SyncFault | null }>;

/** A run that was interrupted before is not fetched again: what came of it is booked, and then it fails. */
const fetched = async (parts: SyncParts, found: Found, journal: RunJournal, hold: Hold): Promise<Attempt> => {
  const interrupted = found.state.run?.fault ?? null;
  if (interrupted !== null) return { lent: [], fault: interrupted };
  try {
    return { lent: await fetchInto(parts, found, journal, hold.signal), fault: null };
  } catch (error) {
    hold.throwIfLost();
    return { lent: [], fault: faultOf(error) };
  }
};

/** What went wrong means for the run. A fault of ours is thrown on. */
const faultOf = (error: unknown): SyncFault => {
  if (error instanceof RunSetAside) return { kind: 'statement_refused', retryAfterSeconds: null };
  if (!(error instanceof BankFault)) throw error;
  return { kind: error.kind, retryAfterSeconds: error.retryAfterSeconds ?? null };
};
