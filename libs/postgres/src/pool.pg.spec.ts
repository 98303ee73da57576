import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { inTransaction, openPool } from './pool.ts';

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

  test('a session that plans once does not plan for the values of an execution', async () => {
    const pool = openPool({ url: database.url, applicationName: 'spec', connectionsMax: 1, plansOnce: true });
    for (const n of [1, 2]) await pool.query({ name: 'by_n', text: 'SELECT * FROM t WHERE n = $1', values: [n] });
    const { rows } = await pool.query('SELECT generic_plans, custom_plans FROM pg_prepared_statements');
    expect(rows).toEqual([{ generic_plans: 2, custom_plans: 0 }]);
    await pool.end();
  });

  test('a transaction that throws leaves nothing behind', async () => {
    const work = inTransaction(database.pool, async (tx) => {
      await tx.query('INSERT INTO t VALUES (1)');
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect((await database.pool.query('SELECT * FROM t')).rows).toEqual([]);
  });

  test.each([false, true])(
    'ends although a session is in use and waits for another, pipelined %s',
    async (pipeline) => {
      const { url, pool: other } = database;
      const holder = await other.connect();
      await holder.query('BEGIN');
      await holder.query('LOCK TABLE t');
      const pool = openPool({ url, applicationName: 'spec', pipeline });
      const idle = await pool.connect();
      await idle.query('BEGIN');
      const waiting = expect(pool.query('SELECT * FROM t')).rejects.toThrow('Connection terminated');
      await pool.end();
      await waiting;
      await expect(idle.query('SELECT 1')).rejects.toThrow();
      await holder.query('ROLLBACK');
      holder.release();
    },
  );

  test('ends although its server does not answer', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const pool = openPool({ url: `postgres://u:p@127.0.0.1:${port}/d`, applicationName: 'spec' });
    const asked = expect(pool.query('SELECT 1')).rejects.toThrow();
    await pool.end();
    await asked;
    silent.close();
  });
});
