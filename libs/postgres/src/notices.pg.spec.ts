import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { giveNotice, hearNotices } from './notices.ts';

describeWithPostgres('a notice', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await testDatabase();
  });
  afterEach(() => database.drop());

  const sessions = async (): Promise<readonly number[]> => {
    const { rows } = await database.pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'notices' AND datname = current_database()`,
    );
    return rows.map(({ pid }) => pid);
  };
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await sleep(10);
  };

  test('is heard by all who listen to its channel, over one session, until they hear no more', async () => {
    const heard: Record<string, (string | undefined)[]> = { a: [], b: [], other: [] };
    const unhear = ['a', 'b', 'other'].map((name) =>
      hearNotices(database.pool, name === 'other' ? 'elsewhere' : 'here', (text) => heard[name]?.push(text)),
    );
    await until(() => Object.values(heard).every((texts) => texts.length === 1));
    await giveNotice(database.pool, 'here', '7');
    await until(() => heard['a']?.length === 2 && heard['b']?.length === 2);
    expect(heard).toEqual({ a: [undefined, '7'], b: [undefined, '7'], other: [undefined] });
    expect(await sessions()).toHaveLength(1);
    await Promise.all(unhear.map((end) => end()));
    while ((await sessions()).length > 0) await sleep(10);
  });

  test('that may have been missed is told of: after a cut, the session is begun anew', async () => {
    const heard: (string | undefined)[] = [];
    const unhear = hearNotices(database.pool, 'here', (text) => heard.push(text));
    await until(() => heard.length === 1);
    await database.pool.query('SELECT pg_terminate_backend($1)', [(await sessions())[0]]);
    await until(() => heard.length === 2);
    await giveNotice(database.pool, 'here', 'after');
    await until(() => heard.length === 3);
    expect(heard).toEqual([undefined, undefined, 'after']);
    await unhear();
  });
});
