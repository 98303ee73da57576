import {
  firstSightKey,
  mintIds,
  seenRow,
  type Booked,
  type Covered,
  type IdsFor,
  type KnownRow,
  type PageInBooks,
  type SeenRow,
  type StatedBalance,
} from '@causeway/domain/ledger';
import type { Revision } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import type { MappedPage } from './books.ts';
import { breathing } from './breath.ts';
import { isClosed, lockForBooking } from './connection-lock.ts';
import { digest } from './digest.ts';
import { readBalances, readCovered, readKnown, readRevision, readTaken, spansOf } from './read-index.ts';
import { transactionIds } from './transaction-ids.ts';

/** The events that a page leads to. */
export type Rules = (page: PageInBooks, idsFor: IdsFor) => Promise<readonly Booked[]>;

/** The rows of a page, and the ids they get if they are new and nobody has them. */
export type Sight = Readonly<{ seen: readonly SeenRow[]; idOf: (key: string) => string; firstIds: readonly string[] }>;

export const sightOf = async ({ account: { connectionId, accountId }, page }: MappedPage): Promise<Sight> => {
  const made = new Map<string, string>();
  const make = transactionIds(connectionId, accountId);
  const idOf = (key: string): string => {
    const id = made.get(key) ?? make(key);
    made.set(key, id);
    return id;
  };
  const [seen, firstIds]: [SeenRow[], string[]] = [[], []];
  const breathe = breathing();
  for (const [index, row] of page.rows.entries()) {
    const sight = seenRow(row, digest);
    seen.push(sight);
    firstIds.push(idOf(firstSightKey(sight, 1)));
    if (index % 100 === 99) await breathe();
  }
  return { seen, idOf, firstIds };
};

export type Read = Readonly<{
  closed: boolean;
  from: Revision | undefined;
  known: readonly KnownRow[];
  covered: readonly Covered[];
  balances: ReadonlyMap<string, StatedBalance>;
  /** Of the first ids. */
  taken: ReadonlySet<string>;
}>;

/** All that the page is compared with, by one round trip: a page waits for each as long as for its own work. */
export const readBooks = async (tx: PoolClient, { account, page }: MappedPage, { firstIds }: Sight): Promise<Read> => {
  const { accountId, connectionId } = account;
  const [, closed, from, known, covered, balances, taken] = await Promise.all([
    lockForBooking(tx, connectionId),
    isClosed(tx, connectionId),
    readRevision(tx, accountId),
    readKnown(tx, accountId, page),
    readCovered(tx, accountId, spansOf(page)),
    readBalances(tx, accountId, page),
    readTaken(tx, accountId, firstIds),
  ]);
  return { closed, from, known, covered, balances, taken };
};

type Compared = Readonly<{ sight: Sight; read: Read; rules: Rules }>;

/** What the page changes, by what the index knows. */
export const decide = async (
  tx: PoolClient,
  { account, page, place }: MappedPage,
  { sight, read, rules }: Compared,
): Promise<readonly Booked[]> => {
  const { accountId, connectionId, entityId, currency } = account;
  const { coverage, closingBalances: closings } = page;
  const { known, covered, balances } = read;
  const asked = new Set(sight.firstIds);
  const idsFor = (fresh: readonly SeenRow[]) =>
    mintIds(fresh, sight.idOf, async (candidates) =>
      candidates.every((id) => asked.has(id)) ? read.taken : readTaken(tx, accountId, candidates),
    );
  const said = { place, seen: sight.seen, coverage, closings };
  const owner = { entityId, connectionId, currency };
  const booked = await rules({ owner, ...said, known, covered, balances }, idsFor);
  const opening: Booked = {
    event: { type: 'LedgerOpened', data: { entityId, connectionId, accountId, currency } },
    change: undefined,
  };
  return read.from !== undefined || booked.length === 0 ? booked : [opening, ...booked];
};
