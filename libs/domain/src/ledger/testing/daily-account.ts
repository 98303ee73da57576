import type { BalanceChange, BalanceFact } from '../balances/balance-facts.ts';
import type { DailyBalance } from '../balances/book.ts';
import { daysReached, foldBalances, type Span } from '../balances/daily-balances.ts';
import type { DayVersion } from '../balances/settle.ts';

export const moved = (date: string, amount: string): BalanceFact => ({ kind: 'moved', date, amount });
export const stated = (date: string, amount: string): BalanceFact => ({ kind: 'stated', date, amount });
export const corrected = (date: string): BalanceFact => ({ kind: 'corrected', date, answered: [] });
export const day = (n: number): string => `2026-03-${String(n).padStart(2, '0')}`;

export const change = (at: string, facts: readonly BalanceFact[], place: string | null = null): BalanceChange => ({
  ...{ at, facts, place, eventId: `event of ${at}` },
  ...{ reason: null, operator: null },
});

/** Keeps all rows, and gives the fold no more of them than it asks for, as a database does. */
export class Account {
  span: Span | null = null;
  readonly rows = new Map<string, DailyBalance>();
  readonly versions = new Map<string, readonly DayVersion[]>();

  take(changes: readonly BalanceChange[]): readonly string[] {
    const reached = daysReached(this.span, changes);
    const sorted = [...this.rows.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
    const end = reached && (sorted.find(({ date, stated }) => stated && date > reached.beyond)?.date ?? '9999-12-31');
    const days = sorted.filter(({ date }) => reached && end && date >= reached.from && date <= end);
    const folded = foldBalances({ span: this.span, days }, changes);
    this.span = folded.span;
    for (const row of folded.days) this.rows.set(row.date, row);
    for (const { date, replaced, extended, versions } of folded.pasts) {
      const known = replaced ? [] : (this.versions.get(date) ?? []);
      const kept = known.map((each) =>
        each.supersededAt === extended?.from ? { ...each, supersededAt: extended.to } : each,
      );
      this.versions.set(date, [...kept, ...versions]);
    }
    return folded.days.map(({ date }) => date).sort();
  }

  /** As `shown` would have been then. */
  asOf(at: string): readonly string[] {
    const then = new Account();
    for (const [date, row] of this.rows) {
      const all = [...(this.versions.get(date) ?? []), { ...row, supersededAt: 'z' }];
      const found = all.find(({ changedAt, supersededAt }) => (changedAt ?? 'z') <= at && supersededAt > at);
      if (found !== undefined) then.rows.set(date, { ...found, date });
    }
    return then.shown();
  }

  shown(): readonly string[] {
    return [...this.rows.values()]
      .filter(({ balance }) => balance !== null)
      .sort((a, b) => (a.date < b.date ? -1 : 1))
      .map(({ date, balance, delta, stated, changedAt }) =>
        [date.slice(8), balance, delta, stated ? 'stated' : 'derived', changedAt].join(' '),
      );
  }
}

/** The numbers from 0 on, cut into pieces of these sizes, again and again. */
export const pieceOf = (n: number, sizes: readonly number[]): number => {
  let piece = 0;
  for (let from = 0; from <= n; piece++) from += sizes[piece % sizes.length] ?? 1;
  return piece - 1;
};
export const piecesOf = <T>(all: readonly T[], sizes: readonly number[]): readonly T[][] => {
  const pieces: T[][] = [];
  for (const [n, one] of all.entries()) (pieces[pieceOf(n, sizes)] ??= []).push(one);
  return pieces;
};
