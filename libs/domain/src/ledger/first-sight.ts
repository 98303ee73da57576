import type { SeenRow } from './imprint.ts';

/**
 * What the id of a transaction derives from, unique within its account: the bank's own id with amount and currency,
 * else the fingerprint, and a number for rows that share it. `nth`, from 1.
 */
export const firstSightKey = ({ row, print }: SeenRow, nth: number): string => {
  const facets =
    row.bankId === null ? ['print', print.fingerprint] : ['bank', row.bankId, print.amountKey, row.content.currency];
  // In front, where no bank id reaches: no two keys with their numbers are the same text.
  return [...(nth === 1 ? [] : [String(nth)]), ...facets].join('|');
};

/** Fresh rows that share a key. Numbers up to `used` are taken; `free`: one that is not, once it is known. */
type Alike = { readonly rows: number[]; used: number; free: number };

/** Numbers that one look tells of: where none is known to be free, up to 65,536 times as far, else between the two. */
const probesOf = ({ used, free }: Alike): readonly number[] => {
  if (free === Infinity) return Array.from({ length: 16 }, (_, i) => Math.max(used, 1) * 2 ** (i + 1));
  const step = Math.ceil((free - used) / 32);
  return Array.from({ length: 31 }, (_, i) => used + (i + 1) * step).filter((number) => number < free);
};

/**
 * Ids for rows that were never seen, none of which is taken. A key may be taken by a row that has long been restated or
 * relabelled; the next number is free then. Numbers are given without gaps, so the first free one is looked for like a
 * word in a dictionary, and not one by one. `idOf` makes an id of a key; `taken` tells which of some ids are in use.
 */
export const mintIds = async (
  fresh: readonly SeenRow[],
  idOf: (key: string) => string,
  taken: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<readonly string[]> => {
  const byKey = new Map<string, Alike>();
  for (const [index, row] of fresh.entries()) {
    const key = firstSightKey(row, 1);
    const alike = byKey.get(key);
    if (alike === undefined) byKey.set(key, { rows: [index], used: 0, free: Infinity });
    else alike.rows.push(index);
  }
  const idAt = ({ rows }: Alike, number: number): string => idOf(firstSightKey(fresh[rows[0]!]!, number));
  const look = async (asked: readonly (readonly [Alike, readonly number[]])[]): Promise<void> => {
    const inUse = await taken(asked.flatMap(([alike, numbers]) => numbers.map((number) => idAt(alike, number))));
    for (const [alike, numbers] of asked) {
      const free = numbers.find((number) => !inUse.has(idAt(alike, number)));
      alike.used = numbers.findLast((number) => number < (free ?? Infinity)) ?? alike.used;
      alike.free = free ?? alike.free;
    }
  };
  const all = [...byKey.values()];
  await look(all.map((alike) => [alike, [1]]));
  for (;;) {
    const open = all.filter(({ used, free }) => free - used > 1);
    if (open.length === 0) break;
    await look(open.map((alike) => [alike, probesOf(alike)]));
  }
  const ids = new Array<string>(fresh.length);
  for (const alike of all) for (const [i, index] of alike.rows.entries()) ids[index] = idAt(alike, alike.free + i);
  return ids;
};
