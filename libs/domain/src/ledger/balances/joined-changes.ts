import { add, sign } from '@causeway/money';
import type { BalanceChange, BalanceFact } from './balance-facts.ts';

/** The one move that a change is; undefined for any other, and for one that moves nothing. */
const moveOf = ({ facts }: BalanceChange): Extract<BalanceFact, { amount: string }> | undefined => {
  const [fact] = facts;
  return facts.length === 1 && fact?.kind === 'moved' && sign(fact.amount) !== 0 ? fact : undefined;
};

/**
 * Neighbours of one page that move the same day become one move, at the time of the last, but for the first of them, which may make
 * days: each of the others changes the same rows. Most of a history comes day by day, so this is most of the work saved.
 * Where they cancel each other out they stay apart: the rows would look as before, and yet they have changed.
 */
export const joined = (changes: readonly BalanceChange[]): readonly BalanceChange[] => {
  const out: BalanceChange[] = [];
  let day: string | undefined;
  let place: string | null = null;
  let run: BalanceChange[] = [];
  let sum = '0';
  const end = (): void => {
    const last = run.at(-1);
    if (last === undefined || day === undefined || sign(sum) === 0) out.push(...run);
    else out.push({ ...last, facts: [{ kind: 'moved', date: day, amount: sum }] });
    run = [];
    sum = '0';
  };
  for (const change of changes) {
    const moves = moveOf(change);
    if (moves !== undefined && moves.date === day && change.place !== null && change.place === place) {
      run.push(change);
      sum = add(sum, moves.amount);
    } else {
      end();
      out.push(change);
      day = moves?.date;
      place = change.place;
    }
  }
  end();
  return out;
};
