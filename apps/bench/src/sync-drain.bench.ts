import { inPairs, type Measurement } from './measurement.ts';
import { withReadSides, type ReadSides } from './read-sides.ts';

const beginning = '1970-01-01T00:00:00.000000Z&k1=00000000-0000-0000-0000-000000000000';

/** Rows per second from the first page of the feed to its end; every row must come. */
const drained = async ({ carry, headers }: ReadSides, rows: number, url: string, cursor: string): Promise<number> => {
  const { count, ms } = await carry({ kind: 'drain', url, cursor, headers });
  if (count !== rows) throw new Error(`${count} of ${rows} rows came from ${url}`);
  return (1000 * count) / ms;
};

export const syncDrainBench: Measurement = {
  id: 'P4',
  name: 'sync drain: the whole feed, 500 rows a page',
  unit: 'rows/s',
  target: 2,
  floor: 1.5,
  run: ({ rows, pairs, databaseUrl }) =>
    withReadSides({ rows, databaseUrl }, async (sides) => {
      const ours = () =>
        drained(sides, rows, `${sides.system.baseUrl}/v1/transactions/sync?limit=500&cursor=`, sides.feedCursor);
      const baseline = () => drained(sides, rows, `${sides.rawUrl}/sync?k0=`, beginning);
      // Once unmeasured: code gets compiled, pages of the table come into memory.
      await ours();
      await baseline();
      return inPairs(pairs, { ours, baseline });
    }),
};
