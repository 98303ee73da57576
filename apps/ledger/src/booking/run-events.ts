import { type Account, bookingStream, type Books, type Causes, unlessClosed } from '@causeway/booking';
import type { SyncFetchedV1 } from '@causeway/contracts';
import { runBooking, type BookingCommand } from '@causeway/domain/ledger';
import { commandHandler, type EventStore } from '@causeway/event-sourcing';
import { v7 as uuid } from 'uuid';

type Whose = Readonly<{ account: Pick<Account, 'connectionId' | 'organization' | 'environment'>; causes: Causes }>;

/** What is said of a run, in its own stream. Safe to repeat. */
export const tellOfRun = async (
  store: EventStore,
  { account, causes }: Whose,
  command: BookingCommand,
): Promise<void> => {
  const { runId, connectionId } = command.data;
  const handle = commandHandler(store, runBooking(connectionId), { streamOf: () => bookingStream(runId), newId: uuid });
  const { organization, environment } = account;
  await handle(command, { metadata: { ...causes, organization, environment, runId } });
};

/** Whoever sends waits at 16 MB: told four times as often, it goes on in time. */
const progressBytes = 4 * 1024 * 1024;

/** `sum`: bytes of the run that are dealt with, the last `bytes` of them just now. */
export const recordBytes = async (
  store: EventStore,
  { runId, bytes, ...whose }: Whose & Readonly<{ runId: string; bytes: number }>,
  sum: number,
): Promise<void> => {
  if (Math.floor(sum / progressBytes) === Math.floor((sum - bytes) / progressBytes)) return;
  const { connectionId } = whose.account;
  await tellOfRun(store, whose, { type: 'RecordProgress', data: { connectionId, runId, bytes: sum } });
};

type SetAside = Pick<SyncFetchedV1, 'connectionId' | 'organization' | 'environment' | 'runId'>;

export const recordSetAside = (
  { pool, store }: Books,
  { runId, ...account }: SetAside,
  causes: Causes,
): Promise<void> =>
  unlessClosed(pool, account.connectionId, async () => {
    const data = { connectionId: account.connectionId, runId };
    await tellOfRun(store, { account, causes }, { type: 'SetAside', data });
  });
