import { identityChange, knownAs, sameAmount, type IdentityChange, type KnownRow } from './identity.ts';
import type { SeenRow } from './imprint.ts';
import type { LedgerEvent, LedgerOwner, Previous, Seen } from './ledger.events.ts';
import type { Pair } from './pairing.ts';
import type { Resolution } from './resolve.ts';
import type { ClosingBalance, Coverage } from './statement.ts';

/** An event, and what it does to the identity index: the same as folding it, without computing the digests again. */
export type Booked = Readonly<{ event: LedgerEvent; change: IdentityChange | undefined }>;

const seenData = (transactionId: string, { row }: SeenRow, bankId: string | null): Seen => ({
  transactionId,
  bankId,
  day: row.day,
  valueDate: row.valueDate,
  typeCode: row.typeCode,
  content: row.content,
});

const record = (transactionId: string, seen: SeenRow, { entityId, connectionId }: LedgerOwner): Booked => {
  const { status, bankId, day, valueDate, typeCode, content } = seen.row;
  // Written out: a first sync makes a million of these, and spreading costs several times as much.
  const data = { entityId, connectionId, transactionId, bankId, day, valueDate, typeCode, content, status };
  return {
    event: { type: 'TransactionRecorded', data },
    change: { type: 'row', row: knownAs(data, status, seen.print) },
  };
};

const previousOf = ({ status, postedDate, amount }: KnownRow): Previous => ({
  status: status === 'withdrawn' ? 'posted' : status,
  postedDate,
  amount,
});

/** What is different, if anything. */
const eventOf = (known: KnownRow, seen: SeenRow, owner: LedgerOwner): LedgerEvent | undefined => {
  const { row, print } = seen;
  // A bank that stops giving ids may give the old ones again: what was known stays.
  const bankId = row.bankId ?? known.bankId;
  const data = seenData(known.transactionId, seen, bankId);
  const { status } = row;
  if (known.status === 'withdrawn') return { type: 'TransactionReinstated', data: { ...owner, ...data, status } };
  const previous = previousOf(known);
  if (status === 'posted' && known.status !== 'posted')
    return { type: 'TransactionPosted', data: { ...data, previous } };
  if (status !== known.status || print.content !== known.print.content)
    return { type: 'TransactionRestated', data: { ...data, status, previous } };
  if (bankId !== known.bankId || row.day !== known.day || print.fingerprint !== known.print.fingerprint)
    return { type: 'TransactionRelabelled', data };
  return undefined;
};

/**
 * A row that the bank's books hold is not pending again. One that went may come back as pending, but only a page that
 * shows all pending rows there are says so: an interim report of some day may simply be old.
 */
const isOldNews = ({ known, seen }: Pair, coverage: Coverage): boolean =>
  seen.row.status === 'pending' &&
  (known.status === 'posted' || (known.status !== 'pending' && coverage.pending !== 'all'));

const compare = ({ known, seen }: Pair, owner: LedgerOwner): Booked | undefined => {
  const event = eventOf(known, seen, owner);
  if (event === undefined) return undefined;
  const data = seenData(known.transactionId, seen, seen.row.bankId ?? known.bankId);
  return { event, change: { type: 'row', row: knownAs(data, seen.row.status, seen.print) } };
};

const missing = (known: KnownRow): Booked => {
  const { transactionId } = known;
  const event: LedgerEvent =
    known.status === 'pending'
      ? { type: 'TransactionCancelled', data: { transactionId } }
      : { type: 'TransactionWithdrawn', data: { transactionId, previous: previousOf(known) } };
  // No digest is needed: the row's facets stay as they are.
  return { event, change: identityChange(event, String) };
};

/** `ids`: one for each fresh row. */
export type RowsToBook = Readonly<{
  resolution: Resolution;
  ids: readonly string[];
  coverage: Coverage;
  owner: LedgerOwner;
}>;

/** What a page changes. The same page on what came of it changes nothing. */
export const bookRows = ({ resolution, ids, coverage, owner }: RowsToBook): Booked[] => {
  const booked = resolution.fresh.map((seen, i) => record(ids[i]!, seen, owner));
  for (const pair of resolution.pairs) {
    const change = isOldNews(pair, coverage) ? undefined : compare(pair, owner);
    if (change !== undefined) booked.push(change);
  }
  for (const known of resolution.absent) booked.push(missing(known));
  return booked;
};

/** `known`: amount by date. Of several for one date, the last one in the page counts. */
export const bookBalances = (
  closings: readonly ClosingBalance[],
  known: ReadonlyMap<string, string>,
  owner: LedgerOwner & Readonly<{ currency: string }>,
): Booked[] => {
  const stated = new Map(closings.map(({ date, amount }) => [date, amount]));
  return [...stated]
    .filter(([date, amount]) => {
      const before = known.get(date);
      return before === undefined || !sameAmount(amount, before);
    })
    .map(([date, amount]) => ({
      event: { type: 'BalanceReported', data: { ...owner, date, amount } },
      change: undefined,
    }));
};
