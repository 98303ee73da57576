import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { inTransaction } from './pool.ts';

describeWithPostgres('a pool', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
    await database.pool.query('CREATE TABLE t (n int PRIMARY KEY)');
  });
  afterAll(() => database.drop());

  test('a date stays the day the bank wrote, a numeric keeps its digits, a bigint is a number', async () => {
    const { rows } = await database.pool.query(
      `SELECT '2026-03-01'::date AS day, 1.10::numeric AS amount, 5::bigint AS count, '2026-03-01T23:30:00-05'::timestamptz AS at`,
    );
    expect(rows).toEqual([{ day: '2026-03-01', amount: '1.10', count: 5, at: '2026-03-02T04:30:00.000Z' }]);
  });

  test('finds out that the other end is gone, and does not wait for it for ever', () => {
    expect(database.pool.options).toMatchObject({ keepAlive: true, keepAliveInitialDelayMillis: 10_000 });
  });

  test('a transaction that throws leaves nothing behind', async () => {
    const work = inTransaction(database.pool, async (tx) => {
      await tx.query('INSERT INTO t VALUES (1)');
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect((await database.pool.query('SELECT * FROM t')).rows).toEqual([]);
  });
});
