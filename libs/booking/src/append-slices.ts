import type { Booked, LedgerEvent } from '@causeway/domain/ledger';
import type { EventStore, NewEvent, Revision } from '@causeway/event-sourcing';
import { v7 as uuidV7 } from 'uuid';
import { ledgerStream } from './account.ts';
import type { MappedPage } from './books.ts';

/** A page of 500 rows with its balances is one append: with events of some 700 bytes, less than half a megabyte. */
const sliceEventsMax = 600;

/** Where the stream stands afterwards, or `conflict`: then it holds some of the slices or none. */
export const appendSlices = async (
  store: EventStore,
  { account, runId, place, causes }: Omit<MappedPage, 'page'>,
  from: Revision | undefined,
  booked: readonly Booked[],
): Promise<Revision | 'conflict'> => {
  const { accountId, connectionId, organization, environment } = account;
  const metadata = { ...causes, organization, environment, ...(runId !== undefined && { runId }), place };
  let revision = from ?? -1;
  for (let start = 0; start < booked.length; start += sliceEventsMax) {
    const events = booked
      .slice(start, start + sliceEventsMax)
      .map(({ event }) => ({ id: uuidV7(), type: event.type, data: event.data }) as NewEvent<LedgerEvent>);
    const expected = revision === -1 ? 'no-stream' : (revision as Revision);
    const stream = ledgerStream(accountId);
    const outcome = await store.append<LedgerEvent>({ stream, expected, events, metadata, dataKey: connectionId });
    if (outcome === 'conflict') return 'conflict';
    revision += events.length;
  }
  return revision as Revision;
};
