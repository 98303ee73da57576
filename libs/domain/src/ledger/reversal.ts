import { negate } from '@causeway/money';
import { sameAmount, type KnownRow } from './identity.ts';
import type { SeenRow } from './imprint.ts';

/** A row of the page and which transaction it is. `reverses`: the transaction that it is known to have taken back. */
export type ShownRow = Readonly<{ transactionId: string; seen: SeenRow; reverses: string | null }>;

/** A row in the bank's books: on the page, or known from another. */
type Posted = Readonly<{ transactionId: string; bankId: string | null; amount: string }>;

export type Reversal = Readonly<{ transactionId: string; counterId: string }>;

const isPosted = ({ row }: SeenRow): boolean => row.status === 'posted';

/**
 * What rows of the page take back: the row that they name, by exactly its amount. Where that one is not known yet, the
 * counter-row tells of it again when it is next shown.
 */
export const reversalsIn = (shown: readonly ShownRow[], known: readonly KnownRow[]): readonly Reversal[] => {
  const counters = shown.filter(
    ({ seen, reverses }) => seen.row.reversalOf !== undefined && isPosted(seen) && reverses === null,
  );
  if (counters.length === 0) return [];
  const posted: readonly Posted[] = [
    ...shown
      .filter(({ seen }) => isPosted(seen))
      .map(({ transactionId, seen: { row } }) => ({ transactionId, bankId: row.bankId, amount: row.content.amount })),
    ...known.filter(({ status }) => status === 'posted'),
  ];
  return counters.flatMap(({ transactionId: counterId, seen: { row } }) => {
    const taken = negate(row.content.amount);
    const reversed = posted.find(({ bankId, amount }) => bankId === row.reversalOf && sameAmount(amount, taken));
    return reversed === undefined ? [] : [{ transactionId: reversed.transactionId, counterId }];
  });
};
