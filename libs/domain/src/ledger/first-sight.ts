import type { SeenRow } from './imprint.ts';

/**
 * What the id of a transaction derives from, unique within its account: the bank's own id with amount and currency,
 * else the fingerprint, and a number for rows that share it. `nth`, from 1.
 */
export const firstSightKey = ({ row, print }: SeenRow, nth: number): string => {
  const facets =
    row.bankId === null ? ['print', print.fingerprint] : ['bank', row.bankId, print.amountKey, row.content.currency];
  return [...facets, ...(nth === 1 ? [] : [String(nth)])].join('|');
};

/**
 * Ids for rows that were never seen, none of which is taken. A key may be taken by a row that has long been restated or
 * relabelled; the next number is free then. `idOf` makes an id of a key; `taken` tells which of some ids are in use.
 */
export const mintIds = async (
  fresh: readonly SeenRow[],
  idOf: (key: string) => string,
  taken: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<readonly string[]> => {
  const ids = new Array<string>(fresh.length);
  const given = new Set<string>();
  const numbers = new Array<number>(fresh.length).fill(0);
  let open = fresh.map((_, index) => index);
  while (open.length > 0) {
    for (const index of open) {
      do ids[index] = idOf(firstSightKey(fresh[index]!, ++numbers[index]!));
      while (given.has(ids[index]));
      given.add(ids[index]);
    }
    const inUse = await taken(open.map((index) => ids[index]!));
    open = open.filter((index) => inUse.has(ids[index]!));
  }
  return ids;
};
