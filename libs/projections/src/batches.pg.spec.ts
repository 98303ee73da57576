import { describeWithPostgres } from '@causeway/testing';
import type { Projection } from './projection.ts';
import { openCounting, tally, type Counting } from './testing/tally.ts';

describeWithPostgres('a batch', () => {
  let counting: Counting;
  beforeEach(async () => {
    counting = await openCounting();
  });
  afterEach(() => counting.close());

  const names = Array.from({ length: 40 }, (_, n) => `name ${n}`);
  const each = Object.fromEntries(names.map((name) => [name, 1]));

  /** How many events each call that succeeded was given. */
  const taken = async (change: (whole: Projection) => Partial<Projection>): Promise<readonly number[]> => {
    const sizes: number[] = [];
    const whole = tally();
    const changed = tally(change(whole));
    const projecting: Projection = {
      ...changed,
      project: async (tx, table, batch) => {
        await changed.project(tx, table, batch);
        sizes.push(batch.length);
      },
    };
    const end = await counting.count(...names);
    expect(await counting.run([projecting]).passed('tally', end, 20_000)).toBe(true);
    expect(await counting.tallies()).toEqual(each);
    return sizes;
  };

  test('of events that are about many rows each is taken some rows at a time', async () => {
    const sizes = await taken(() => ({ rowsOf: () => 1000 }));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(40);
  });

  test('for which a statement has not the time is taken by halves, and parks nothing', async () => {
    const sizes = await taken((whole) => ({
      project: async (tx, table, batch) => {
        if (batch.length > 5) await tx.query('SET LOCAL statement_timeout = 20; SELECT pg_sleep(5)');
        await whole.project(tx, table, batch);
      },
    }));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(5);
    const { rows } = await counting.pool.query('SELECT FROM counting.parked');
    expect(rows).toEqual([]);
  });
});
