import { migrate, openPool, type Pool } from '@causeway/postgres';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { quota, quotaMigrations, type Quota } from './quota.ts';

const test2 = { organization: 'a', environment: 'test' } as const;

describeWithPostgres('a quota', () => {
  let database: TestDatabase;
  let pools: Pool[];
  beforeAll(async () => {
    database = await testDatabase();
    await migrate(database.url, 'shop', quotaMigrations('shop'));
    await database.pool.query(
      'CREATE TABLE shop.thing (id uuid PRIMARY KEY, organization text, environment text, open boolean DEFAULT true)',
    );
    pools = [1, 2, 3].map(() => openPool({ url: database.url, applicationName: 'replica', connectionsMax: 4 }));
  });
  beforeEach(() => database.pool.query('TRUNCATE shop.thing, shop.quota_hold'));
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await database.drop();
  });

  const shared = { schema: 'shop', name: 'things', view: 'shop.thing', counted: 'open' };
  /** As three replicas have it. */
  const replicas = (limit: number, perEnvironment = true): readonly Quota[] =>
    pools.map((pool) => quota({ ...shared, pool, limit, perEnvironment }));
  const make = (owner: typeof test2, ids: readonly string[]) =>
    database.pool.query('INSERT INTO shop.thing SELECT id, $2, $3 FROM unnest($1::uuid[]) AS id', [
      ...[ids, owner.organization, owner.environment],
    ]);
  const newIds = (count: number): string[] => Array.from({ length: count }, () => randomUUID());
  const letIn = async (all: readonly Quota[], ids: readonly string[]): Promise<string[]> => {
    const answers = await Promise.all(ids.map((id, n) => all[n % all.length]!.admits(test2, id)));
    return ids.filter((_, n) => answers[n]);
  };

  test.each([1, 2, 7])('with %i places left, so many of 50 at once are let in, over three replicas', async (left) => {
    const all = replicas(10);
    await make(test2, newIds(10 - left));
    const first = await letIn(all, newIds(50));
    expect(first).toHaveLength(left);
    // Before they can be read, while they come to be read, and afterwards.
    expect(await letIn(all, newIds(50))).toEqual([]);
    await make(test2, first);
    expect(await letIn(all, newIds(50))).toEqual([]);
    const { rows } = await database.pool.query('SELECT FROM shop.quota_hold');
    expect(rows).toEqual([]);
  });

  test('the same id, asked for by many, has one place', async () => {
    const all = replicas(2);
    const [id = ''] = newIds(1);
    expect(await letIn(all, [id, id, id, id])).toEqual([id, id, id, id]);
    expect(await letIn(all, newIds(5))).toHaveLength(1);
  });

  test('a place is free again when what had it is gone, or counts no longer', async () => {
    const all = replicas(1);
    const [id = '', second = '', third = ''] = newIds(3);
    expect(await letIn(all, [id])).toEqual([id]);
    await make(test2, [id]);
    await all[0]?.settle(test2, id);
    await database.pool.query('DELETE FROM shop.thing');
    expect(await letIn(all, [second])).toEqual([second]);
    await make(test2, [second]);
    expect(await letIn(all, [third])).toEqual([]);
    await database.pool.query('UPDATE shop.thing SET open = false');
    expect(await letIn(all, [third])).toEqual([third]);
  });

  test('what was let in and never made gives its place back after a minute', async () => {
    const all = replicas(1);
    const [id = '', other = ''] = newIds(2);
    await letIn(all, [id]);
    expect(await letIn(all, [other])).toEqual([]);
    await database.pool.query(`UPDATE shop.quota_hold SET held_at = held_at - interval '61 seconds'`);
    expect(await letIn(all, [other])).toEqual([other]);
  });

  test('organizations, and environments where it says so, have one each; 0 is none', async () => {
    const live = { ...test2, environment: 'live' } as const;
    const [own, shared2, none] = [replicas(1)[0]!, replicas(1, false)[0]!, replicas(0)[0]!];
    const asked = async (one: Quota) => {
      await database.pool.query('TRUNCATE shop.quota_hold');
      const owners = [test2, live, { ...test2, organization: 'b' }];
      const answers: boolean[] = [];
      for (const owner of owners) for (const id of newIds(2)) answers.push(await one.admits(owner, id));
      return answers;
    };
    expect(await asked(own)).toEqual([true, false, true, false, true, false]);
    expect(await asked(shared2)).toEqual([true, false, false, false, true, false]);
    expect(await asked(none)).toEqual([true, true, true, true, true, true]);
    expect(own.problem).toMatchObject({ status: 409, type: 'conflict', details: { quota: 'things', limit: 1 } });
  });
});
