import type { Day } from './calendar.ts';
import type { Cents } from './money.ts';
import type { History } from './world/history.ts';
import type { AccountPlan } from './world/institutions.ts';
import { mix } from './world/random.ts';
import { drawRow, type Row } from './world/row.ts';

/** An account: the history its seed makes, and what has happened to it since. */
export type Account = Readonly<{
  number: string;
  plan: AccountPlan;
  seed: number;
  history: History;
  pending: Map<string, Row>;
  /** Rows that the seed does not make, by booking day. */
  booked: Map<Day, Row[]>;
  /** Rows that read otherwise today than when they were booked, by day and key; null: withdrawn. */
  amended: Map<Day, Map<string, Row | null>>;
  /** By how much the rows of a day add up to more than the seed's. */
  moved: Map<Day, Cents>;
  /** By how much a stated closing balance departs from the books. */
  restated: Map<Day, Cents>;
  counters: {
    /** How many rows of the bank's own making have been drawn; the next one's seed and key. */
    drawn: number;
    idGeneration: number;
    idsWithheld: boolean;
    /** When a balance last moved. */
    movedAtMs: number;
  };
}>;

/** Between the rows of a history and the ones drawn later. */
const drawnSalt = 0x5ca1ab1e;

/** The `ahead`-th row after the last one drawn (0: the next): the same account always draws the same. */
export const nextRow = (account: Account, day: Day, ahead = 0): Row => {
  const place = account.counters.drawn + ahead;
  return drawRow(account.plan.kinds, mix(mix(account.seed, drawnSalt), place), { key: `N${place}`, day });
};

export const openAccount = (
  opening: Readonly<{
    number: string;
    plan: AccountPlan;
    seed: number;
    history: History;
    openedAtMs: number;
  }>,
): Account => {
  const { openedAtMs, ...fixed } = opening;
  const account: Account = {
    ...fixed,
    pending: new Map(),
    booked: new Map(),
    amended: new Map(),
    moved: new Map(),
    restated: new Map(),
    counters: { drawn: 0, idGeneration: 0, idsWithheld: false, movedAtMs: openedAtMs },
  };
  for (let count = 0; count < fixed.plan.pending; count++) {
    const row = nextRow(account, fixed.history.lastDay - (count % 3));
    account.pending.set(row.key, row);
    account.counters.drawn += 1;
  }
  return account;
};

/** The booked rows of a day, as the bank's record has them now. */
export const rowsOn = (account: Account, day: Day): readonly Row[] => {
  const booked = account.booked.get(day);
  const rows = booked === undefined ? account.history.rowsOn(day) : [...account.history.rowsOn(day), ...booked];
  const amended = account.amended.get(day);
  if (amended === undefined) return rows;
  return rows.flatMap((row) => {
    const now = amended.get(row.key);
    return now === null ? [] : [now ?? row];
  });
};

/** How many rows `rowsOn` has at most: rows withdrawn since are counted. */
export const countOn = (account: Account, day: Day): number =>
  account.history.countOn(day) + (account.booked.get(day)?.length ?? 0);

export const ledgerBalanceOn = (account: Account, day: Day): Cents => {
  let balance = account.history.closingOn(day);
  for (const [movedOn, by] of account.moved) if (movedOn <= day) balance += by;
  return balance;
};

export const ledgerBalance = (account: Account): Cents => ledgerBalanceOn(account, Number.MAX_SAFE_INTEGER);

/** What may be spent: pending debits are held back, pending credits not yet given; a card has its limit besides. */
export const availableBalance = (account: Account): Cents => {
  let available = ledgerBalance(account) + account.plan.creditLimit;
  for (const { amount } of account.pending.values()) available += Math.min(amount, 0);
  return available;
};

/** The bank states a closing balance for every second day, once the day is over. */
export const statesClosing = (day: Day, today: Day): boolean => day < today && day % 2 === 0;

export const statedClosingOn = (account: Account, day: Day): Cents =>
  ledgerBalanceOn(account, day) + (account.restated.get(day) ?? 0);

/** Null while the bank gives none. A new generation of ids has none in common with the one before. */
export const bankIdOf = (account: Account, row: Pick<Row, 'key'>): string | null => {
  const { idGeneration, idsWithheld } = account.counters;
  return idsWithheld ? null : `${idGeneration}T${account.number.slice(-4)}-${row.key}`;
};

const move = (account: Account, day: Day, by: Cents, atMs: number): void => {
  account.moved.set(day, (account.moved.get(day) ?? 0) + by);
  account.counters.movedAtMs = atMs;
};

/** Rows from `nextRow` use up its draws; the others (posted pending rows, payments) have keys of their own. */
export const book = (account: Account, rows: readonly Row[], atMs: number): void => {
  for (const row of rows) {
    const sameDay = account.booked.get(row.day);
    if (sameDay === undefined) account.booked.set(row.day, [row]);
    else sameDay.push(row);
    move(account, row.day, row.amount, atMs);
    if (row.key === `N${account.counters.drawn}`) account.counters.drawn += 1;
  }
};

/** `now` null: withdrawn. The row's key and day stay what they were. */
export const amend = (
  account: Account,
  at: Readonly<{ day: Day; key: string }>,
  now: Row | null,
  atMs: number,
): void => {
  const before = rowsOn(account, at.day).find(({ key }) => key === at.key);
  if (before === undefined) throw new Error(`no row ${at.key} on day ${at.day} of account ${account.number}`);
  const sameDay = account.amended.get(at.day) ?? new Map<string, Row | null>();
  account.amended.set(at.day, sameDay.set(at.key, now));
  move(account, at.day, (now?.amount ?? 0) - before.amount, atMs);
};
