import type { BalanceChange, BalanceFact } from './balance-facts.ts';
import { correct, move, state, type Book, type DailyBalance, type Day } from './book.ts';
import { dateOf, dayOf } from './calendar.ts';
import { joined } from './joined-changes.ts';
import { isNothing, settle, type DayPast, type Past } from './settle.ts';

/** The first and the last day there is a row for, and the first that the bank stated. Days never leave it. */
export type Span = Readonly<{ first: string; last: string; anchor: string | null }>;

export type Balances = Readonly<{ span: Span | null; days: readonly DailyBalance[] }>;

/** What the changes make of an account: its rows that are others, and what becomes of those that they supersede. */
export type Folded = Balances & Readonly<{ pasts: readonly DayPast[] }>;

/**
 * The rows that a fold of the changes may need: from the first of these days to the first stated one after the second.
 * `null` where there is none to load.
 */
export const daysReached = (
  span: Span | null,
  changes: readonly BalanceChange[],
): Readonly<{ from: string; beyond: string }> | null => {
  if (span === null) return null;
  let low = '9999-12-31';
  let high = '0001-01-01';
  let stated = false;
  for (const { facts } of changes) {
    for (const { kind, date } of facts) {
      if (date < low) low = date;
      if (date > high) high = date;
      stated ||= kind === 'stated' || kind === 'remapped';
    }
  }
  // Before the first anchor, balances are walked to backward: a change moves all days before it.
  const backward = span.anchor === null ? stated : low <= span.anchor;
  if (backward) return { from: span.first, beyond: high };
  return { from: low < span.last ? low : span.last, beyond: high };
};

const spanOf = ({ first, last, anchor }: Book): Span | null =>
  first > last ? null : { first: dateOf(first), last: dateOf(last), anchor: anchor === null ? null : dateOf(anchor) };

const take = (book: Book, fact: BalanceFact): void => {
  const day = dayOf(fact.date);
  if (fact.kind === 'corrected') correct(book, day);
  else (fact.kind === 'moved' ? move : state)(book, day, fact.amount);
};

/**
 * The rows that are others after the changes, and the span after them. The same changes, however they are cut into
 * calls, give the same rows and the same pasts.
 */
export const foldBalances = ({ span, days }: Balances, changes: readonly BalanceChange[]): Folded => {
  const book: Book = {
    known: new Map(days.map(({ date, ...day }) => [dayOf(date), day])),
    touched: new Map(),
    corrected: new Set(),
    first: span === null ? Infinity : dayOf(span.first),
    last: span === null ? -Infinity : dayOf(span.last),
    anchor: span === null || span.anchor === null ? null : dayOf(span.anchor),
  };
  const changed = new Map<number, Past>();
  for (const change of joined(changes)) {
    for (const fact of change.facts) take(book, fact);
    settle(book, change, changed);
  }
  return {
    span: spanOf(book),
    days: [...changed.keys()].map((day) => ({ date: dateOf(day), ...(book.known.get(day) as Day) })),
    pasts: [...changed].flatMap(([day, past]) => (isNothing(past) ? [] : [{ date: dateOf(day), ...past }])),
  };
};
