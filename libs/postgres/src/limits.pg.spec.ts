import { describeWithPostgres, testDatabase, withRoom, type TestDatabase } from '@causeway/testing';
import { migrate } from './migrate.ts';
import { inTransaction, openPool, patiently, type Pool, type PoolClient } from './pool.ts';

/** A client that stops talking amid a transaction, as a stopped process does: its socket stays open. */
const frozen = async (pool: Pool, text: string): Promise<PoolClient> => {
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query(text);
  return client;
};

describeWithPostgres('a session of a pool', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await testDatabase();
    pool = openPool({ url: database.url, applicationName: 'spec', connectionsMax: 6, statementMaxMs: 1000 });
    await pool.query('CREATE TABLE thing (id int PRIMARY KEY, n int)');
    await pool.query('INSERT INTO thing VALUES (1, 0)');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  test('has a limit on every way to wait', async () => {
    const ordinary = openPool({ url: database.url, applicationName: 'spec' });
    const { rows } = await ordinary.query<{ name: string; ms: string }>(
      `SELECT name, setting AS ms FROM pg_settings WHERE name LIKE '%_timeout' OR name LIKE 'tcp_%' ORDER BY name`,
    );
    await ordinary.end();
    const limits = Object.fromEntries(rows.map(({ name, ms }) => [name, Number(ms)]));
    expect(limits).toMatchObject({
      statement_timeout: 30_000,
      lock_timeout: 5000,
      idle_in_transaction_session_timeout: 3000,
      tcp_keepalives_idle: 10,
      tcp_user_timeout: 25_000,
    });
  });

  test('that is frozen in a transaction holds up another for 5 s at most', async () => {
    const silent = await frozen(pool, 'UPDATE thing SET n = 1');
    await pool.query('UPDATE thing SET n = 2').catch(() => undefined);
    const begun = performance.now();
    for (let done = false; !done;)
      done = await pool.query('UPDATE thing SET n = 3').then(
        () => true,
        () => false,
      );
    expect(performance.now() - begun).toBeLessThan(withRoom(5000));
    await expect(silent.query('COMMIT')).rejects.toThrow();
    silent.release(true);
    expect((await pool.query('SELECT n FROM thing')).rows).toEqual([{ n: 3 }]);
  });

  test('gives up a statement that takes too long, but not one that was said to', async () => {
    await expect(pool.query('SELECT pg_sleep(60)')).rejects.toThrow('statement timeout');
    await inTransaction(pool, (tx) => patiently(tx, 'SELECT pg_sleep(1.2)'));
  });

  test('that is frozen amid a migration does not keep others from theirs', async () => {
    const silent = await frozen(pool, `SELECT pg_advisory_xact_lock(hashtextextended('migrate frozen', 0))`);
    const begun = performance.now();
    await migrate(database.url, 'frozen', []);
    expect(performance.now() - begun).toBeLessThan(withRoom(10_000));
    silent.release(true);
  });

  test('of a migration does not outlive it, and leaves nothing half done', async () => {
    const failing = class {
      readonly name = 'Failing1767225600000';
      up = async (runner: { query(text: string): Promise<unknown> }): Promise<void> => {
        await runner.query('CREATE TABLE half.done (id int)');
        throw new Error('half');
      };
      down = async (): Promise<void> => undefined;
    };
    await expect(migrate(database.url, 'half', [failing])).rejects.toThrow('half');
    expect((await pool.query(`SELECT to_regnamespace('half') AS schema`)).rows).toEqual([{ schema: null }]);
  });
});
