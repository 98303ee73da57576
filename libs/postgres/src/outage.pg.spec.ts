import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { isOutage } from './outage.ts';
import { openPool } from './pool.ts';

const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describeWithPostgres('an outage', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  test('is a server that nobody can connect to', async () => {
    const pool = openPool({ url: 'postgres://nobody@127.0.0.1:1/none', applicationName: 'spec' });
    const fault = await faultOf(pool.query('SELECT 1'));
    await pool.end();
    expect(isOutage(fault)).toBe(true);
    expect(isOutage(new Error('wrapped', { cause: fault }))).toBe(true);
  });

  test('is a session that the server ended', async () => {
    const pool = openPool({ url: database.url, applicationName: 'spec', connectionsMax: 1 });
    const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const asleep = faultOf(pool.query('SELECT pg_sleep(30)'));
    await database.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    expect(isOutage(await asleep)).toBe(true);
    await pool.end();
  });

  test('is a server that does not answer in time, and the session is not used again', async () => {
    const pool = openPool({ url: database.url, applicationName: 'spec', connectionsMax: 1, answerWithinMs: 300 });
    expect(isOutage(await faultOf(pool.query('SELECT pg_sleep(30)')))).toBe(true);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('is not a statement that is wrong, nor one that a constraint refuses', async () => {
    expect(isOutage(await faultOf(database.pool.query('SELECT nonsense')))).toBe(false);
    expect(isOutage(await faultOf(database.pool.query('SELECT 1/0')))).toBe(false);
    expect(isOutage(undefined)).toBe(false);
  });
});
