import { compare } from '@causeway/money';
import type { AnsweredBalance } from '../ledger.events.ts';
import type { BalanceChange } from './balance-facts.ts';
import type { Book, Day } from './book.ts';
import { dateOf } from './calendar.ts';

/** A day as it was shown, and until when. `currency`: where it was another than the account's is now. */
export type DayVersion = Day & Readonly<{ supersededAt: string; currency?: string }>;

/**
 * What becomes of a day's versions: all that there are go where `replaced`; the one that ended at `from` ends at `to`;
 * and these are added, oldest first.
 */
export type Past = {
  replaced: boolean;
  extended: Readonly<{ from: string; to: string }> | null;
  versions: DayVersion[];
};
export type DayPast = Readonly<{ date: string }> & Readonly<Past>;

export const isNothing = ({ replaced, extended, versions }: Past): boolean =>
  !replaced && extended === null && versions.length === 0;

const equal = (a: string | null, b: string | null): boolean =>
  a === b || (a !== null && b !== null && compare(a, b) === 0);

/** Two ways to write one number are no difference. */
const looksTheSame = (was: Day | undefined, now: Day): was is Day =>
  was !== undefined && was.stated === now.stated && equal(was.balance, now.balance) && equal(was.delta, now.delta);

/** Of what an event does to a day beside moving it. */
const causeOf = ({ facts }: BalanceChange, date: string, was: Day | undefined): Day['cause'] => {
  const fact = facts.find((each) => each.kind !== 'moved' && each.date === date);
  if (fact === undefined || fact.kind === 'moved') return null;
  if (fact.kind !== 'stated') return fact.kind;
  return was?.stated === true ? 'restated' : 'reported';
};

const changedBy = (change: BalanceChange, date: string, was: Day | undefined) => {
  const { at: changedAt, eventId, place, reason, operator } = change;
  const cause = causeOf(change, date, was);
  return { changedAt, eventId, place, cause, ...(cause === null ? {} : { reason, operator }) };
};

const answeredAs = ({ ledgerBalance, postedTransactionDelta, source, updatedAt, ...told }: AnsweredBalance) => ({
  ...told,
  ...{ balance: ledgerBalance, delta: postedTransactionDelta, stated: source === 'bankProvided' },
  ...{ changedAt: updatedAt, place: null, cause: told.cause === 'derived' ? null : told.cause },
});

const answeredIn = ({ facts, at }: BalanceChange, date: string): DayVersion[] | undefined => {
  const fact = facts.find((each) => each.kind === 'corrected' && each.date === date);
  if (fact?.kind !== 'corrected') return undefined;
  const ends = [...fact.answered.slice(1).map(({ updatedAt }) => updatedAt), at];
  return fact.answered.map((each, i) => ({ ...answeredAs(each), supersededAt: ends[i] as string }));
};

/**
 * Notes what an event supersedes. One page may move a day many times, within microseconds: what was so only amid a page
 * is not kept, and the version before it lasts until the page is done with the day.
 */
const supersede = (past: Past, was: Day | undefined, { at, place }: BalanceChange): void => {
  if (was === undefined || was.changedAt === null || was.changedAt === at) return;
  if (place === null || was.place !== place) {
    past.versions.push({ ...was, supersededAt: at });
    return;
  }
  const last = past.versions.at(-1);
  if (last !== undefined) past.versions[past.versions.length - 1] = { ...last, supersededAt: at };
  else if (!past.replaced) past.extended = { from: past.extended?.from ?? was.changedAt, to: at };
};

/** Only once the whole event is in is it seen what it has changed: a row that it moved there and back has not. */
export const settle = (book: Book, change: BalanceChange, changed: Map<number, Past>): void => {
  const { known, touched, corrected } = book;
  for (const [day, was] of touched) {
    const now = known.get(day) as Day;
    if (!corrected.has(day) && looksTheSame(was, now)) {
      known.set(day, was);
      continue;
    }
    const date = dateOf(day);
    const past = changed.get(day) ?? { replaced: false, extended: null, versions: [] };
    const answered = answeredIn(change, date);
    if (answered !== undefined) Object.assign(past, { replaced: true, extended: null, versions: answered });
    else supersede(past, was, change);
    const nobody = { reason: null, operator: null };
    known.set(day, now.balance === null ? now : { ...now, ...nobody, ...changedBy(change, date, was) });
    changed.set(day, past);
  }
  touched.clear();
  corrected.clear();
};
