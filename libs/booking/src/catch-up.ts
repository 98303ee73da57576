import { identityChange, isOfPage, type LedgerEvent, type Place } from '@causeway/domain/ledger';
import type { EventStore, Recorded } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import { ledgerStream, type Account } from './account.ts';
import { digest } from './digest.ts';
import { everyDay, readCovered, readRevision } from './read-index.ts';
import { writeIndex, type Folded } from './write-index.ts';

/** Events folded and written at once. */
const batchEvents = 5000;

const folded = (event: Recorded<LedgerEvent>): Folded => {
  const { runId, place = 0 } = event.metadata;
  if (event.metadata.place === undefined && isOfPage(event))
    throw new Error(`${event.stream}: an event that no page led to`);
  return { event, change: identityChange(event, place as Place, digest), runId, place: place as Place };
};

/**
 * Brings the index of an account to the end of its stream: after a crash between append and index, after another
 * writer, or from nothing.
 */
export const catchUp = async (tx: PoolClient, store: EventStore, account: Account): Promise<void> => {
  const stream = ledgerStream(account.accountId);
  for (;;) {
    const from = await readRevision(tx, account.accountId);
    const after = from === undefined ? {} : { after: from };
    const events = await store.readStream<LedgerEvent>(stream, { ...after, limit: batchEvents });
    const to = events.at(-1)?.revision;
    if (to === undefined) return;
    const covered = await readCovered(tx, account.accountId, everyDay);
    // Another writer who was faster has written the same.
    await writeIndex(tx, { account, from, to, covered, folded: events.map(folded) });
  }
};
