import { beginning, type Position, type StreamName } from '@causeway/event-sourcing';
import { migrate, openPool, type Pool } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import type { Gathered } from './gather.ts';
import { eventStoreDbMigrations } from './migrations.ts';
import { orderIn, type Order, type PlacedRow } from './order.ts';

const schema = 'spec_events';
const role = 'causeway_spec';

const at = (commit: number) => ({ commit: BigInt(commit), prepare: BigInt(commit) });
/** The n-th append of a server whose places have gaps and begin at 0; one to three events each. */
const append = (n: number): Gathered => ({
  ...{ stream: `thing-${n % 5}` as StreamName, lastRevision: n * 3, count: 1 + (n % 3), at: at(n * 1000) },
});
const appends = (from: number, to: number): Gathered[] => Array.from({ length: to - from }, (_, i) => append(from + i));

/** Contiguous positions, rising times, each append once and in the server's order. */
const check = (rows: readonly PlacedRow[], expected: readonly Gathered[]): void => {
  expect(rows.map(({ stream, last_revision }) => `${stream}@${last_revision}`)).toEqual(
    expected.map(({ stream, lastRevision }) => `${stream}@${lastRevision}`),
  );
  let [position, time] = [0, 0];
  for (const row of rows) {
    expect(row.last_position - row.event_count).toBe(position);
    expect(row.recorded_at).toBeGreaterThan(time);
    [position, time] = [row.last_position, row.recorded_at + row.event_count - 1];
  }
};

describeWithPostgres('the order beside EventStoreDB', () => {
  let database: TestDatabase;
  let pool: Pool;
  let order: Order;
  beforeEach(async () => {
    database = await testDatabase();
    await migrate(database.url, schema, eventStoreDbMigrations(schema, role));
    pool = openPool({ url: database.url, applicationName: 'spec', role, connectionsMax: 10 });
    order = orderIn(pool, schema);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  test('begins with nothing, and takes an event at the very beginning of the log', async () => {
    expect(await order.standing()).toEqual({ passed: undefined, last: undefined });
    expect(await order.place(undefined, [])).toBe(beginning);
    expect(await order.place(undefined, [append(0)])).toBe(1);
    expect(await order.standing()).toEqual({ passed: at(0), last: at(0) });
  });

  test('gives each append its positions once, whoever brings it how often', async () => {
    expect(await order.place(undefined, appends(0, 4))).toBe(7);
    const once = await order.rows(beginning, 100);
    expect(await order.place(undefined, appends(0, 4))).toBe(7);
    expect(await order.place(at(1000), appends(2, 6))).toBe(12);
    const rows = await order.rows(beginning, 100);
    expect(rows.slice(0, 4)).toEqual(once);
    check(rows, appends(0, 6));
  });

  test('is the same from many that read overlapping stretches at once', async () => {
    const all = appends(0, 300);
    const reader = async (step: number): Promise<void> => {
      for (;;) {
        const { last } = await order.standing();
        const next = all.findIndex((one) => last === undefined || one.at.commit > last.commit);
        if (next < 0) return;
        await order.place(last, all.slice(next, next + step));
      }
    };
    await Promise.all([1, 2, 3, 5, 7, 11, 13, 17].map(reader));
    check(await order.rows(beginning, 1000), all);
  });

  test('refuses a stretch that begins behind what has a place: it would leave a hole', async () => {
    await order.place(undefined, appends(0, 3));
    await expect(order.place(at(5000), appends(6, 8))).rejects.toThrow('cannot be placed');
    expect(await order.rows(beginning, 100)).toHaveLength(3);
  });

  test('refuses the events of another server under the names of this one', async () => {
    await order.place(undefined, appends(0, 3));
    await expect(order.place(at(2000), [{ ...append(1), at: at(9000) }])).rejects.toThrow('duplicate key');
  });

  test('one that was stopped in the middle holds nothing up, and comes too late to change anything', async () => {
    await order.place(undefined, appends(0, 2));
    const late = appends(2, 5);
    expect(await order.place(at(1000), appends(2, 9))).toBe(18);
    const before = await order.rows(beginning, 100);
    expect(await order.place(at(1000), late)).toBe(18);
    expect(await order.rows(beginning, 100)).toEqual(before);
  });

  test('a clock that was set back does not set recordedAt back', async () => {
    await order.place(undefined, appends(0, 3));
    const future = Date.now() * 1000 + 3_600_000_000;
    await database.pool.query(`UPDATE ${schema}.placed SET recorded_at = $1 + last_position`, [future]);
    await order.place(at(2000), appends(3, 5));
    check(await order.rows(beginning, 100), appends(0, 5));
  });

  test('tells of whole appends about as many events as asked for, also from inside one', async () => {
    await order.place(undefined, appends(0, 30));
    const lengths = async (after: number, limit: number): Promise<number[]> =>
      (await order.rows(after as Position, limit)).map(({ event_count }) => event_count);
    expect(await lengths(0, 1)).toEqual([1]);
    expect(await lengths(1, 1)).toEqual([2]);
    expect(await lengths(2, 1)).toEqual([2]);
    expect(await lengths(0, 4)).toEqual([1, 2, 3]);
    expect(await lengths(60, 10)).toEqual([]);
  });

  test('how far it was looked through goes only forward, and the last append counts as well', async () => {
    await order.place(undefined, appends(0, 3));
    await order.lookedThrough(at(7000));
    await order.lookedThrough(at(4000));
    expect(await order.standing()).toEqual({ passed: at(7000), last: at(2000) });
    await order.place(at(2000), [append(9)]);
    expect(await order.standing()).toEqual({ passed: at(9000), last: at(9000) });
  });

  test('positions beyond what a number holds exactly stay exact', async () => {
    const far = { ...append(0), at: { commit: 2n ** 62n + 1n, prepare: 2n ** 62n + 1n } };
    await order.place(undefined, [far]);
    expect((await order.standing()).last).toEqual(far.at);
    expect(await order.place(far.at, [])).toBe(1);
  });

  test.each(['placed', 'looked_through'])(
    'the service can neither change, delete nor write %s by itself',
    async (table) => {
      await order.place(undefined, [append(0)]);
      await order.lookedThrough(at(1));
      for (const sql of [
        `UPDATE ${schema}.${table} SET commit_position = 0`,
        `DELETE FROM ${schema}.${table}`,
        `TRUNCATE ${schema}.${table}`,
        `INSERT INTO ${schema}.${table} SELECT * FROM ${schema}.${table}`,
      ]) {
        await expect(pool.query(sql)).rejects.toThrow('permission denied');
      }
    },
  );
});
