import { dateOf, dayOf } from './balances/calendar.ts';
import type { SeenStatus } from './ledger.events.ts';
import type { Place } from './place.ts';
import type { Coverage, DayRange } from './statement.ts';

/**
 * Days of which the page at `place` was the newest to show every row of the status. Those of one status do not overlap.
 * Both ends are inclusive.
 */
export type Covered = DayRange & Readonly<{ status: SeenStatus; place: Place }>;

const allDays: DayRange = { from: '0001-01-01', to: '9999-12-31' };

export const rangesOf = ({ posted, pending }: Coverage): Readonly<Record<SeenStatus, DayRange | null>> => ({
  posted,
  pending: pending === 'all' ? allDays : pending,
});

/** What a page covers, as far as it is concerned. */
export const claimsOf = (coverage: Coverage, place: Place): readonly Covered[] =>
  Object.entries(rangesOf(coverage)).flatMap(([status, range]) =>
    range === null ? [] : [{ status: status as SeenStatus, from: range.from, to: range.to, place }],
  );

const shifted = (day: string, by: 1 | -1): string => dateOf(dayOf(day) + by);

const without = (range: Covered, { from, to }: DayRange): readonly Covered[] => {
  if (range.to < from || range.from > to) return [range];
  return [
    ...(range.from < from ? [{ ...range, to: shifted(from, -1) }] : []),
    ...(range.to > to ? [{ ...range, from: shifted(to, 1) }] : []),
  ];
};

const addClaim = (covered: readonly Covered[], claim: Covered): readonly Covered[] => {
  const stands = ({ status, place }: Covered): boolean => status !== claim.status || place >= claim.place;
  const newer = covered.filter((each) => each.status === claim.status && stands(each));
  const rest = newer.reduce<readonly Covered[]>((left, cut) => left.flatMap((each) => without(each, cut)), [claim]);
  if (rest.length === 0) return covered;
  return [...covered.flatMap((each) => (stands(each) ? [each] : without(each, claim))), ...rest];
};

/** The newest page of each day, after some more. The same array where they claim nothing new. */
export const addClaims = (covered: readonly Covered[], claims: readonly Covered[]): readonly Covered[] =>
  claims.reduce(addClaim, covered);
