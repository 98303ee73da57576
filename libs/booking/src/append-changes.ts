import { DataKeyDestroyed } from '@causeway/data-keys';
import type { Booked } from '@causeway/domain/ledger';
import { StreamContended, StreamErased, type EventStore, type Revision } from '@causeway/event-sourcing';
import { inTransaction, type PoolClient } from '@causeway/postgres';
import { appendSlices } from './append-slices.ts';
import type { Books, MappedPage } from './books.ts';
import { catchUp } from './catch-up.ts';
import { unlessClosed } from './connection-lock.ts';
import { decide, readBooks, sightOf, type Rules, type Sight } from './decide.ts';
import { writeIndex } from './write-index.ts';

/** Another writer of the account is a message that was delivered to two; that ends by itself. */
const attemptsMax = 16;

/** The stream goes on beyond where the index was read to stand. */
class IndexBehind extends Error {}

/** `record`: what else is noted of a page that is dealt with, in the transaction of the index. */
export type Booking = Readonly<{ rules: Rules; record: (tx: PoolClient) => Promise<void> }>;

type Attempt = Booking & Readonly<{ store: EventStore; tx: PoolClient; sight: Sight }>;

const attempt = async (
  { store, tx, sight, rules, record }: Attempt,
  task: MappedPage,
): Promise<readonly Booked[] | 'closed'> => {
  const { account, runId, place } = task;
  const read = await readBooks(tx, task, sight);
  if (read.closed) return 'closed';
  const { from, covered } = read;
  const booked = await decide(tx, task, { sight, read, rules });
  if (booked.length === 0) {
    await record(tx);
    return booked;
  }
  const to = ((from ?? -1) + booked.length) as Revision;
  const folded = booked.map((each) => ({ ...each, runId, place }));
  // Side by side: the index is committed once the events are stored, and not at all when they are not.
  const [appended] = await Promise.all([
    appendSlices(store, task, from, booked),
    writeIndex(tx, { account, from, to, covered, folded }),
    record(tx),
  ]);
  if (appended === 'conflict') throw new IndexBehind();
  return booked;
};

/**
 * Compares a page with what is known of the account and appends what it changes: resolves to that. Safe to repeat: what
 * has been appended is known then. A crash between append and index is made good by whoever meets the conflict.
 * `closed`: the connection was deleted, and nothing was appended.
 */
export const appendChanges = async (
  { pool, store }: Books,
  task: MappedPage,
  booking: Booking,
): Promise<readonly Booked[] | 'closed'> => {
  const { account } = task;
  // Before there is a session: a large page takes longer than one may be kept waiting.
  const sight = await sightOf(task);
  for (let count = 1; count <= attemptsMax; count++) {
    try {
      return await inTransaction(pool, (tx) => attempt({ store, tx, sight, ...booking }, task));
    } catch (error) {
      if (error instanceof DataKeyDestroyed || error instanceof StreamErased) return 'closed';
      if (!(error instanceof IndexBehind)) throw error;
    }
    await unlessClosed(pool, account.connectionId, (tx) => catchUp(tx, store, account));
  }
  throw new StreamContended(`ledger of account ${account.accountId}: gave up after ${attemptsMax} conflicts`);
};
