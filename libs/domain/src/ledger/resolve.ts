import { rangesOf, type Covered } from './covered.ts';
import type { KnownRow, KnownStatus } from './identity.ts';
import type { SeenRow } from './imprint.ts';
import { pairUp, taking, type Open, type Pair, type Pass } from './pairing.ts';
import { runOf, type Place } from './place.ts';
import type { Coverage } from './statement.ts';

/** Which transaction each row of a page is. */
export type Resolution = Readonly<{
  pairs: readonly Pair[];
  /** Rows that were never seen before. */
  fresh: readonly SeenRow[];
  /** Live rows that the page covers and does not show. */
  absent: readonly KnownRow[];
}>;

const isGone = ({ status }: KnownRow): boolean => status === 'cancelled' || status === 'withdrawn';
const isPosted = ({ row }: SeenRow): boolean => row.status === 'posted';

/** If a row of the page could be this one, it is this one or this one is gone: nothing else explains its absence. */
export const coveredBy = (coverage: Coverage) => {
  const { posted, pending } = rangesOf(coverage);
  return ({ status, day }: Dated): boolean =>
    (status === 'posted' && posted !== null && day >= posted.from && day <= posted.to) ||
    (status === 'pending' && pending !== null && day >= pending.from && day <= pending.to);
};

type Dated = Readonly<{ status: KnownStatus; day: string }>;
type KnownTest = (row: KnownRow) => boolean;
type SeenTest = (row: SeenRow) => boolean;

/** One key on both sides: facets of a row that agree, joined. A null facet takes the row out. */
const by = (known: KnownTest, seen: SeenTest, ...facets: readonly Facet[]): Pass => ({
  known: (row) => (known(row) ? joined(facets, (facet) => facet.known(row)) : null),
  seen: (row) => (seen(row) ? joined(facets, (facet) => facet.seen(row)) : null),
});

type Facet = Readonly<{ known: (row: KnownRow) => string | null; seen: (row: SeenRow) => string | null }>;

const joined = (facets: readonly Facet[], read: (facet: Facet) => string | null): string | null => {
  let key = '';
  for (const facet of facets) {
    const value = read(facet);
    if (value === null) return null;
    key += `${value}\u001f`;
  }
  return key;
};

const bankId: Facet = { known: (row) => row.bankId, seen: ({ row }) => row.bankId };
const amount: Facet = { known: ({ print }) => print.amountKey, seen: ({ print }) => print.amountKey };
const day: Facet = { known: (row) => row.day, seen: ({ row }) => row.day };
const fingerprint: Facet = { known: ({ print }) => print.fingerprint, seen: ({ print }) => print.fingerprint };
const status: Facet = { known: (row) => row.status, seen: ({ row }) => row.status };
/** Nothing but perhaps the bank id is different: of rows that look alike in part, each finds itself, in whatever order they come. */
const whole: Facet = {
  known: ({ day, print }) => `${day}${print.content}${print.fingerprint}`,
  seen: ({ row, print }) => `${row.day}${print.content}${print.fingerprint}`,
};
const narrative: Facet = { known: ({ print }) => print.narrative, seen: ({ print }) => print.narrative };

/** Both sides have a bank id, whichever. */
const present: Facet = {
  known: (row) => (row.bankId === null ? null : ''),
  seen: ({ row }) => (row.bankId === null ? null : ''),
};

const any = (): boolean => true;
const knownPosted: KnownTest = ({ status }) => status === 'posted';
const knownPending: KnownTest = ({ status }) => status === 'pending';
const live: KnownTest = (row) => !isGone(row);
const seenPending: SeenTest = (row) => !isPosted(row);

const sameDay = by(knownPosted, isPosted, bankId, amount, day);

/**
 * By the bank's own id. Banks use one id for all items of a batch, and again after months, so a posted row is the same
 * only with the same amount on the same day, or where the page says that it is gone otherwise. A pending row keeps its
 * id when it posts, whatever its amount and day have become. A row that went comes back under its id.
 */
const byBankId = (covered: KnownTest): readonly Pass[] => [
  sameDay,
  by((row) => row.status === 'pending' || covered(row), any, bankId, amount),
  // An interim report that comes late: the row has long been posted.
  by(knownPosted, seenPending, bankId, amount),
  by(isGone, any, bankId, amount),
  by((row) => row.status === 'pending' || row.status === 'cancelled', any, bankId),
  by(knownPosted, seenPending, bankId),
];

const withoutBankId: KnownTest = (row) => row.bankId === null;
const seenWithoutBankId: SeenTest = ({ row }) => row.bankId === null;

/** By all the rest that a row shows, where one side has no bank id. Equal rows pair up by their number. */
const byFingerprint: readonly Pass[] = [
  by((row) => live(row) && withoutBankId(row), any, status, whole),
  by(live, seenWithoutBankId, status, whole),
  by((row) => live(row) && withoutBankId(row), any, fingerprint, day),
  by(live, seenWithoutBankId, fingerprint, day),
  by((row) => live(row) && withoutBankId(row), any, fingerprint),
  by(live, seenWithoutBankId, fingerprint),
  by((row) => isGone(row) && withoutBankId(row), any, fingerprint),
  by(isGone, seenWithoutBankId, fingerprint),
];

/** An interim report that comes late, without ids. */
const byLateReport: readonly Pass[] = [
  by((row) => knownPosted(row) && withoutBankId(row), seenPending, day, amount, narrative),
  by(knownPosted, (row) => seenPending(row) && seenWithoutBankId(row), day, amount, narrative),
];

const restatedUnderBankId = (covered: KnownTest): readonly Pass[] => [
  by((row) => knownPosted(row) && covered(row), isPosted, bankId),
  by(isGone, any, bankId),
];

/** By less and less. What pairs here is gone otherwise, or a pending row of which the posted page makes no claim. */
const byResemblance = (covered: KnownTest, known: KnownTest, seen: SeenTest): readonly Pass[] => {
  const pending: KnownTest = (row) => knownPending(row) && known(row);
  const posted: KnownTest = (row) => knownPosted(row) && covered(row) && known(row);
  const seenPosted: SeenTest = (row) => isPosted(row) && seen(row);
  return [
    by(pending, seen, narrative, amount),
    by((row) => pending(row) && covered(row), seen, amount, day),
    { ...by(pending, seen, narrative), unique: true },
    by(posted, seenPosted, day, narrative),
    { ...by(posted, seenPosted, day, amount), unique: true },
    { ...by(posted, seenPosted, day), unique: true },
  ];
};

/** Most rows of most pages: nothing is different. */
const unchanged = by(live, any, bankId, status, whole);

/** Runs between the page and the one that last showed a row. */
type Apart = (row: KnownRow) => number;

const apartFrom =
  (place: Place, claims: readonly Covered[]): Apart =>
  (row) => {
    const claim = claims.find(({ status, from, to }) => status === row.status && row.day >= from && row.day <= to);
    return Math.abs(runOf(place) - runOf(claim === undefined || claim.place < row.place ? row.place : claim.place));
  };

/**
 * A bank that gives its rows new ids gives them to all: when of the rows shown so many runs apart, or more, more look the
 * same under another id than do under their own, it has, and ids tell nothing of these. Otherwise they tell rows apart.
 */
const reissued = (open: Open, covered: KnownTest, apart: Apart): readonly Pair[] => {
  const passes = [by(covered, any, present, status, whole), by(covered, any, present, fingerprint)];
  const { pairs } = pairUp({ ...open, pairs: [] }, passes);
  if (pairs.length === 0) return pairs;
  const surplus = new Map<number, number>();
  const count = ({ known }: Pair, weight: 1 | -1): void =>
    void surplus.set(apart(known), (surplus.get(apart(known)) ?? 0) + weight);
  for (const pair of pairs) count(pair, 1);
  for (const pair of open.pairs) count(pair, -1);
  let [sum, least] = [0, Infinity];
  for (const [runs, more] of [...surplus].sort(([a], [b]) => b - a)) if ((sum += more) > 0) least = runs;
  return pairs.filter(({ known }) => apart(known) >= least);
};

/**
 * The rows that are left were there when the page was read before: they are these, in whatever they are read otherwise.
 * Of several that no facet tells apart one is as good as the other; which it is may not depend on the order of a query.
 */
const readAgain = (open: Open, covered: KnownTest): Open => {
  const known = open.known.toSorted((a, b) => (a.transactionId < b.transactionId ? -1 : 1));
  const facets: readonly (readonly Facet[])[] = [[narrative, amount], [day, amount], [day, narrative], [day]];
  return pairUp({ ...open, known }, [
    ...byResemblance(covered, any, any),
    ...facets.map((same) => by(covered, any, status, ...same)),
  ]);
};

const resolve = ({ known, seen, coverage, place, covered: claims, isReadAgain }: PlacedPage): Resolution => {
  const covered: KnownTest = coveredBy(coverage);
  let open = pairUp({ pairs: [], known, seen }, [unchanged]);
  const relabelled = reissued(open, covered, apartFrom(place, claims));
  open = pairUp(taking(open, relabelled), byBankId(covered));
  // A page of all pending rows there are is never late.
  const late = coverage.pending === 'all' ? [] : byLateReport;
  open = pairUp(open, [...byFingerprint, ...late, ...restatedUnderBankId(covered)]);
  // A pending row and the posted one in its place, on one page that shows both kinds whole.
  open = pairUp(open, [by((row) => knownPending(row) && covered(row), isPosted, narrative, amount)]);
  // What resembles a row on a late page may be what a newer one shows as another.
  if (claims.every((each) => each.place <= place)) {
    open = pairUp(open, byResemblance(covered, withoutBankId, any));
    open = pairUp(open, byResemblance(covered, any, seenWithoutBankId));
    if (relabelled.length > 0) open = pairUp(open, byResemblance(covered, any, any));
  }
  if (isReadAgain === true) open = readAgain(open, covered);
  return { pairs: open.pairs, fresh: open.seen, absent: open.known.filter(covered) };
};

/** A page at its place among all pages of the account, of which some may have come before it. */
export type PlacedPage = Readonly<{
  known: readonly KnownRow[];
  seen: readonly SeenRow[];
  coverage: Coverage;
  place: Place;
  covered: readonly Covered[];
  /** It was booked before, by the mapping of that time. */
  isReadAgain?: true;
}>;

/**
 * What of the page counts beside newer ones. A day that a newer page covers is as that one shows it, and so is a row that
 * a newer one showed: both take no part, and whoever shows it again brings nothing. But a posted row that only this page
 * shows is booked, be it that a newer page no longer had it among the pending ones.
 */
export const resolvePage = (page: PlacedPage): Resolution => {
  const { known, seen, place, covered } = page;
  const newer = covered.filter((each) => each.place > place);
  if (newer.length === 0 && known.every((row) => row.place <= place)) return resolve(page);
  const isTold = ({ status, day }: Dated): boolean =>
    newer.some((each) => each.status === status && day >= each.from && day <= each.to);
  const settled = known.filter((row) => live(row) && (row.place > place || isTold(row)));
  const open = { pairs: [], known: settled, seen: seen.filter(({ row }) => !isTold(row)) };
  const alike = pairUp(open, [unchanged]);
  const relabelled = taking(alike, reissued(alike, any, apartFrom(place, covered)));
  const repeated = pairUp(relabelled, [sameDay, ...byFingerprint, by(any, seenPending, bankId), ...byLateReport]);
  const others = new Set(settled);
  const left = known.filter((row) => !others.has(row));
  const resolution = resolve({ ...page, known: left, seen: repeated.seen });
  const pairs = resolution.pairs.filter((pair) => isPosted(pair.seen) || pair.known.place <= place);
  return { ...resolution, pairs };
};
