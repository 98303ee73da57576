import { firstSightKey, mintIds } from './first-sight.ts';
import { seenRow, type SeenRow } from './imprint.ts';
import { posted } from './testing/rows.ts';

const alike = (bankId: string): SeenRow => seenRow(posted({ bankId }), (text) => text);
const idAt = (bankId: string, number: number): string => firstSightKey(alike(bankId), number);

/** Mints ids where `used` says how many of a bank id are taken; tells how often it looked, and for how many ids. */
const mint = async (used: Readonly<Record<string, number>>, fresh: readonly SeenRow[]) => {
  const inUse = new Set(
    Object.entries(used).flatMap(([bankId, count]) => Array.from({ length: count }, (_, i) => idAt(bankId, i + 1))),
  );
  const looks: number[] = [];
  const ids = await mintIds(
    fresh,
    (key) => key,
    async (candidates) => {
      looks.push(candidates.length);
      return new Set(candidates.filter((id) => inUse.has(id)));
    },
  );
  return { ids, looks };
};

test.each([0, 1, 2, 3, 31, 32, 33, 1023, 2000, 65_536, 200_000])(
  'after %d that look alike, the next number is free',
  async (used) => {
    const { ids } = await mint({ A: used }, [alike('A'), alike('A')]);
    expect(ids).toEqual([idAt('A', used + 1), idAt('A', used + 2)]);
  },
);

test('a row that nobody looks like costs one look', async () => {
  expect((await mint({}, [alike('A'), alike('B'), alike('B')])).looks).toEqual([2]);
});

test('a row that 2,000 look like costs four looks', async () => {
  expect((await mint({ A: 2000 }, [alike('A')])).looks).toHaveLength(4);
});

test('rows of several kinds are looked for together', async () => {
  const { ids, looks } = await mint({ A: 2000, B: 3 }, [alike('A'), alike('B'), alike('C')]);
  expect(ids).toEqual([idAt('A', 2001), idAt('B', 4), idAt('C', 1)]);
  expect(looks.length).toBeLessThanOrEqual(4);
});
