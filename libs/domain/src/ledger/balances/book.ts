import { add, negate, sign, subtract } from '@causeway/money';
import type { BalanceCause } from '../ledger.events.ts';
import { dateOf } from './calendar.ts';

/**
 * One day of an account. `balance` null: no closing balance of the account is known yet, on any day; the delta is kept
 * until one is. `stated`: the balance is the bank's own; else it is walked to by deltas. The rest is of the last change
 * to what a client can see: `cause` null is derived, `place` that of the page that led to it.
 */
export type DailyBalance = Readonly<{
  date: string;
  delta: string;
  balance: string | null;
  stated: boolean;
  changedAt: string | null;
  eventId: string | null;
  cause: Exclude<BalanceCause, 'derived'> | null;
  reason: string | null;
  operator: string | null;
  place: string | null;
}>;

export type Day = Omit<DailyBalance, 'date'>;

/** `known` holds every day that the changes can reach (`daysReached`); `touched`, those of the present event as they were. */
export type Book = {
  readonly known: Map<number, Day>;
  readonly touched: Map<number, Day | undefined>;
  /** Those of the present event that count as changed, whatever they are. */
  readonly corrected: Set<number>;
  first: number;
  last: number;
  anchor: number | null;
};

const unknown = {
  ...{ delta: '0', stated: false, changedAt: null, eventId: null, cause: null },
  ...{ reason: null, operator: null, place: null },
};

const put = (book: Book, day: number, change: Partial<Day> & Pick<Day, 'balance'>): void => {
  const was = book.known.get(day);
  if (!book.touched.has(day)) book.touched.set(day, was);
  book.known.set(day, { ...unknown, ...was, ...change });
};

/** A balance of a day that has one. */
const balanceOn = (book: Book, day: number): string => {
  const balance = book.known.get(day)?.balance ?? null;
  if (balance === null) throw new Error(`no balance on ${dateOf(day)}, which was not loaded`);
  return balance;
};

const deltaOn = (book: Book, day: number): string => book.known.get(day)?.delta ?? '0';

/** From `from` up to the next stated day, that day left out. */
const walkOn = (book: Book, from: number, amount: string): void => {
  for (let day = from; day <= book.last && book.known.get(day)?.stated !== true; day++) {
    put(book, day, { balance: add(balanceOn(book, day), amount) });
  }
};

/** All days before `before`: there is no anchor among them. */
const walkBack = (book: Book, before: number, amount: string): void => {
  for (let day = book.first; day < before; day++) put(book, day, { balance: add(balanceOn(book, day), amount) });
};

/** No delta, written with the digits of the balance beside it. */
const nothing = (balance: string): string => subtract(balance, balance);

/** Makes rows up to a day that lies outside: the balance stands still until it, forward and backward. */
const reach = (book: Book, target: number): void => {
  for (; book.last < target; book.last++) {
    const balance = balanceOn(book, book.last);
    put(book, book.last + 1, { balance, delta: nothing(balance) });
  }
  for (; book.first > target; book.first--) {
    const balance = subtract(balanceOn(book, book.first), deltaOn(book, book.first));
    put(book, book.first - 1, { balance, delta: nothing(balance) });
  }
};

const widen = (book: Book, day: number): void => {
  book.first = Math.min(book.first, day);
  book.last = Math.max(book.last, day);
};

export const move = (book: Book, day: number, amount: string): void => {
  if (book.anchor === null) widen(book, day);
  else reach(book, day);
  const { balance } = book.known.get(day) ?? { balance: null };
  put(book, day, { balance, delta: add(deltaOn(book, day), amount) });
  if (book.anchor === null || sign(amount) === 0) return;
  if (day <= book.anchor) walkBack(book, day, negate(amount));
  else walkOn(book, day, amount);
};

/** The first stated balance of the account: every day gets its balance, and those without a row get one. */
const begin = (book: Book, day: number, amount: string): void => {
  widen(book, day);
  const delta = (on: number): string => book.known.get(on)?.delta ?? nothing(amount);
  put(book, day, { balance: amount, delta: delta(day), stated: true });
  for (let on = day + 1; on <= book.last; on++) {
    put(book, on, { balance: add(balanceOn(book, on - 1), delta(on)), delta: delta(on) });
  }
  for (let on = day - 1; on >= book.first; on--) {
    put(book, on, { balance: subtract(balanceOn(book, on + 1), delta(on + 1)), delta: delta(on) });
  }
  book.anchor = day;
};

export const state = (book: Book, day: number, amount: string): void => {
  if (book.anchor === null) return begin(book, day, amount);
  reach(book, day);
  const difference = subtract(amount, balanceOn(book, day));
  put(book, day, { balance: amount, stated: true });
  if (sign(difference) !== 0) {
    walkOn(book, day + 1, difference);
    if (day <= book.anchor) walkBack(book, day, difference);
  }
  book.anchor = Math.min(book.anchor, day);
};

/** The day stays what the events before made of it; one that was shown and that they did not make is derived. */
export const correct = (book: Book, day: number): void => {
  if (book.anchor === null) return;
  reach(book, day);
  put(book, day, { balance: balanceOn(book, day) });
  book.corrected.add(day);
};
