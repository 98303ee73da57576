import { addClaims, claimsOf, type Covered } from './covered.ts';
import { identityChange, knownAs, sameAmount, type IdentityChange, type KnownRow } from './identity.ts';
import type { SeenRow } from './imprint.ts';
import type { LedgerEvent, LedgerOwner, Previous, Seen } from './ledger.events.ts';
import type { Pair } from './pairing.ts';
import type { Place } from './place.ts';
import { coveredBy, resolvePage } from './resolve.ts';
import { reversalsIn, type ShownRow } from './reversal.ts';
import type { ClosingBalance, Coverage } from './statement.ts';

/** An event, and what it does to the identity index: the same as folding it, without computing the digests again. */
export type Booked = Readonly<{ event: LedgerEvent; change: IdentityChange | undefined }>;

/** A closing balance as it was last stated, and by which page. */
export type StatedBalance = Readonly<{ amount: string; place: Place }>;

/** A page, and all of the account that it is compared with. */
export type PageInBooks = Readonly<{
  owner: LedgerOwner & Readonly<{ currency: string }>;
  place: Place;
  seen: readonly SeenRow[];
  coverage: Coverage;
  closings: readonly ClosingBalance[];
  known: readonly KnownRow[];
  /** Of the days that the page covers or shows rows of. */
  covered: readonly Covered[];
  /** By date. */
  balances: ReadonlyMap<string, StatedBalance>;
  /** It was booked before, by the mapping of that time. */
  isReadAgain?: true;
}>;

const seenData = (transactionId: string, { row }: SeenRow, bankId: string | null): Seen => ({
  transactionId,
  bankId,
  day: row.day,
  valueDate: row.valueDate,
  typeCode: row.typeCode,
  content: row.content,
});

const record = (transactionId: string, seen: SeenRow, { owner, place }: PageInBooks): Booked => {
  const { entityId, connectionId } = owner;
  const { status, bankId, day, valueDate, typeCode, content } = seen.row;
  // Written out: a first sync makes a million of these, and spreading costs several times as much.
  const data = { entityId, connectionId, transactionId, bankId, day, valueDate, typeCode, content, status };
  return {
    event: { type: 'TransactionRecorded', data },
    change: { type: 'row', row: knownAs(data, status, seen.print, place) },
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

const compare = ({ known, seen }: Pair, { owner, place }: PageInBooks): Booked | undefined => {
  const event = eventOf(known, seen, owner);
  if (event === undefined) return undefined;
  const data = seenData(known.transactionId, seen, seen.row.bankId ?? known.bankId);
  return { event, change: { type: 'row', row: knownAs(data, seen.row.status, seen.print, place) } };
};

/** For an event that leaves a row's facets as they are: no digest is needed. */
const booked = (event: LedgerEvent, place: Place): Booked => ({ event, change: identityChange(event, place, String) });

const missing = (known: KnownRow, place: Place): readonly Booked[] => {
  const { transactionId, reverses } = known;
  const event: LedgerEvent =
    known.status === 'pending'
      ? { type: 'TransactionCancelled', data: { transactionId } }
      : { type: 'TransactionWithdrawn', data: { transactionId, previous: previousOf(known) } };
  const gone = booked(event, place);
  if (reverses === null) return [gone];
  return [gone, booked({ type: 'TransactionReversalWithdrawn', data: { transactionId: reverses } }, place)];
};

/** What a page changes, and what it says that is known: rows on days it does not cover, or dates of balances. */
type Told = Readonly<{ booked: Booked[]; asBefore: string[] }>;

const bookRows = async (page: PageInBooks, idsFor: IdsFor): Promise<Told> => {
  const { coverage, place } = page;
  const { fresh, pairs, absent } = resolvePage(page);
  const ids = await idsFor(fresh);
  const told: Told = { booked: fresh.map((seen, i) => record(ids[i]!, seen, page)), asBefore: [] };
  const isCovered = coveredBy(coverage);
  const shown: ShownRow[] = fresh.map((seen, i) => ({ transactionId: ids[i]!, seen, reverses: null }));
  for (const pair of pairs) {
    if (isOldNews(pair, coverage)) continue;
    const change = compare(pair, page);
    const { known, seen } = pair;
    if (change !== undefined) told.booked.push(change);
    else if (known.place < place && !isCovered(seen.row)) told.asBefore.push(known.transactionId);
    shown.push({ transactionId: known.transactionId, seen, reverses: known.reverses });
  }
  for (const known of absent) told.booked.push(...missing(known, place));
  const gone = new Set(absent);
  for (const data of reversalsIn(
    shown,
    page.known.filter((known) => !gone.has(known)),
  )) {
    told.booked.push(booked({ type: 'TransactionReversed', data }, place));
  }
  return told;
};

/** Of several for one date, the last one in the page counts. */
const bookBalances = ({ closings, balances, owner, place }: PageInBooks): Told => {
  const told: Told = { booked: [], asBefore: [] };
  for (const [date, amount] of new Map(closings.map((closing) => [closing.date, closing.amount]))) {
    const before = balances.get(date);
    if (before === undefined || (before.place <= place && !sameAmount(amount, before.amount))) {
      told.booked.push({ event: { type: 'BalanceReported', data: { ...owner, date, amount } }, change: undefined });
    } else if (before.place < place) told.asBefore.push(date);
  }
  return told;
};

/** Ids for rows that were never seen. */
export type IdsFor = (fresh: readonly SeenRow[]) => Promise<readonly string[]>;

/**
 * The events that a page leads to. It touches nothing that a newer one showed or covered. The same page on what came of
 * it leads to none.
 */
export const bookPage = async (page: PageInBooks, idsFor: IdsFor): Promise<readonly Booked[]> => {
  const { coverage, covered, place } = page;
  const rows = await bookRows(page, idsFor);
  const balances = bookBalances(page);
  const changes = [...rows.booked, ...balances.booked];
  const claimsNothing = addClaims(covered, claimsOf(coverage, place)) === covered;
  if (claimsNothing && rows.asBefore.length + balances.asBefore.length === 0) return changes;
  const data = { coverage, shown: rows.asBefore, balances: balances.asBefore };
  const event: LedgerEvent = { type: 'PageBooked', data };
  return [...changes, { event, change: { type: 'shown', transactionIds: rows.asBefore, place } }];
};
