import { balancesPage, feedHead, feedPage, transactionsPage, walkMax, type Query } from '@causeway/read-models';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { migrateLedger } from '../migrations.ts';
import { balances } from './balances/balances.projection.ts';
import { transactions } from './transactions/transactions.projection.ts';

type Plan = Readonly<{
  'Relation Name'?: string;
  'Node Type': string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: readonly Plan[];
}>;

const owner = { organization: 'demo', environment: 'test' };
const id = '00000002-0000-4000-8000-000000000001';
const none = {
  ...{ accountId: undefined, connectionId: undefined, entityId: undefined, status: undefined, rail: undefined },
  ...{ postedDateGte: undefined, postedDateLt: undefined },
};
const paging = { fields: undefined, limit: 100, after: undefined };
const rowsMax = 40_000;

const table = (logical: string): `${string}.${string}` => `ledger.${logical}`;

const entity = (n: number): string => `00000004-0000-4000-8000-00000000000${n}`;
const connection = (n: number): string => `00000003-0000-4000-8000-00000000000${n}`;

/** What a list is asked for, and how many entries it may look at beside those that it shows: on each order, by date and by change. */
const filters: Readonly<Record<string, readonly [Partial<Record<keyof typeof none, string>>, number, number]>> = {
  'no filter': [{}, 0, 0],
  accountId: [{ accountId: id }, 0, 0],
  connectionId: [{ connectionId: connection(1) }, 0, 0],
  entityId: [{ entityId: entity(1) }, 0, 400],
  'an entity and one of its accounts': [{ entityId: entity(1), accountId: id }, 0, 0],
  'an entity without rows': [{ entityId: entity(7) }, 0, walkMax],
  'an account and its connection': [{ accountId: id, connectionId: connection(1) }, 0, 0],
  'an account and another connection': [{ accountId: id, connectionId: connection(0) }, 0, 0],
  'an account of another organization': [{ accountId: '00000002-0000-4000-8000-000000000009' }, 0, 0],
  'status posted': [{ status: 'posted' }, 100, 100],
  'status pending': [{ status: 'pending' }, 0, 0],
  'status pending of an account': [{ status: 'pending', accountId: id }, 0, 0],
  'status pending and a rail': [{ status: 'pending', rail: 'card' }, 400, 400],
  'a status that no row has': [{ status: 'unknown' }, 0, 0],
  rail: [{ rail: 'card' }, 400, 400],
  'a rail that no row has': [{ rail: 'crypto' }, walkMax, walkMax],
  'a rail that no row of an account has': [{ rail: 'crypto', accountId: id }, walkMax, walkMax],
  'a range of dates': [{ postedDateGte: '2025-03-01', postedDateLt: '2025-06-01' }, 0, walkMax],
  'a rail in a range of dates': [{ rail: 'crypto', postedDateGte: '2025-03-01' }, walkMax, walkMax],
};

/** Reads of any depth touch about a page of rows: nothing is sorted, nothing read from the beginning. */
describeWithPostgres('the plan of', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await testDatabase();
    await migrateLedger({ databaseUrl: database.url });
    for (const { ddl, indexes, views } of [transactions, balances]) {
      for (const statement of [...ddl(table), ...indexes(table), ...views(table)]) await database.pool.query(statement);
    }
    await database.pool.query(
      `INSERT INTO ${table('transactions')} (id, organization, environment, entity_id, connection_id, account_id, status, rail,
         sort_date, added_at, updated_at, event_id, removed, json)
       SELECT gen_random_uuid(), CASE WHEN n % 4 = 0 THEN 'demo' ELSE 'other' END, 'test',
         ('00000004-0000-4000-8000-' || lpad((CASE WHEN n % 4 = 0 THEN n / 4 % 2 ELSE 9 END)::text, 12, '0'))::uuid,
         ('00000003-0000-4000-8000-' || lpad((CASE WHEN n % 4 = 0 THEN n / 4 % 2 ELSE 9 END)::text, 12, '0'))::uuid,
         ('00000002-0000-4000-8000-' || lpad((CASE WHEN n % 4 = 0 THEN n / 4 % 4 ELSE 9 END)::text, 12, '0'))::uuid,
         CASE WHEN n % 100 = 0 THEN 'pending' ELSE 'posted' END,
         CASE WHEN n % 3 = 0 THEN 'card' ELSE 'ach' END, date '2025-01-01' + n / 120, at, at, gen_random_uuid(), false,
         repeat('x', 500)
       FROM generate_series(1, $1::int) n, LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 ms' AS at) AS moment`,
      [rowsMax],
    );
    await database.pool.query(
      `INSERT INTO ${table('balances')} SELECT 'demo', 'test',
         ('00000004-0000-4000-8000-' || lpad((n / 10000)::text, 12, '0'))::uuid,
         ('00000003-0000-4000-8000-' || lpad((n / 5000)::text, 12, '0'))::uuid,
         ('00000002-0000-4000-8000-' || lpad((n / 1000)::text, 12, '0'))::uuid, date '2024-01-01' + n % 1000,
         'USD', 1, 1, 'derived', timestamptz '2026-01-01' + n * interval '1 ms'
       FROM generate_series(0, 19999) n`,
    );
    await database.pool.query(`ANALYZE ${table('transactions')}, ${table('balances')}`);
  });
  afterAll(() => database.drop());

  const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
  /** As the sessions that read plan it: once, for any values. */
  const planOf = async ({ text, values }: Query): Promise<readonly Plan[]> => {
    const session = await database.pool.connect();
    try {
      const given = values.map((value) => `'${String(value)}'`).join(', ');
      await session.query(`SET plan_cache_mode = force_generic_plan; DEALLOCATE ALL; PREPARE page AS ${text}`);
      const explained = await session.query<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE page${given === '' ? '' : `(${given})`}`,
      );
      return nodesOf(explained.rows[0]?.['QUERY PLAN'][0]?.Plan as Plan);
    } finally {
      session.release();
    }
  };
  /** Rows that any scan looked at, shown or not. */
  const touched = (nodes: readonly Plan[]): number =>
    Math.max(...nodes.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)));
  const expectIndexed = (nodes: readonly Plan[], touchedMax: number): void => {
    // The few connections that are being erased may be read whole.
    const whole = nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']);
    expect(whole.filter((name) => name !== 'erased_connection' && name !== 'erased_balances')).toEqual([]);
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort');
    expect(touched(nodes)).toBeLessThanOrEqual(touchedMax);
  };

  const sorts = ['postedDate', '-postedDate', 'updatedAt', '-updatedAt'] as const;
  const cases = Object.entries(filters).flatMap(([name, [asked, ...beside]]) =>
    sorts.map((sort) => [name, sort, asked, beside[sort.endsWith('postedDate') ? 0 : 1] ?? 0] as const),
  );

  test.each(cases)('a list by %s, sorted by %s', async (_name, sort, asked, beside) => {
    const wanted = { ...none, ...asked };
    const key = sort.endsWith('postedDate') ? '2025-05-01' : '2026-01-01T00:00:20Z';
    for (const after of [undefined, [key, id]]) {
      const { query } = transactionsPage(owner, wanted, { ...paging, sort, after });
      expectIndexed(await planOf(query), paging.limit + 1 + beside);
    }
  });

  test.each(sorts)('a list as of an instant, sorted by %s', async (sort) => {
    const asOf = '2027-01-01T00:00:00Z';
    const { query } = transactionsPage(owner, { ...none, asOf }, { ...paging, sort });
    expectIndexed(await planOf(query), paging.limit + 1);
  });

  const blocksOf = async (query: Query): Promise<number> => {
    const [whole] = await planOf(query);
    return (whole?.['Shared Hit Blocks'] ?? 0) + (whole?.['Shared Read Blocks'] ?? 0);
  };

  test.each([
    ['postedDate', '2025-11-20'],
    ['-postedDate', '2025-01-10'],
  ] as const)('a page sorted by %s starts at its key, not at the bound of its dates', async (sort, key) => {
    const bounded = { ...none, postedDateGte: '2025-01-01', postedDateLt: '2026-01-01' };
    const page = { ...paging, sort, after: [key, id] };
    const unbounded = await blocksOf(transactionsPage(owner, none, page).query);
    expect(await blocksOf(transactionsPage(owner, bounded, page).query)).toBeLessThanOrEqual(unbounded);
  });

  test.each([[{}], [{ accountId: id }], [{ connectionId: '00000003-0000-4000-8000-000000000001' }]])(
    'the feed by %j',
    async (filter) => {
      const after = ['2026-01-01T00:00:20Z', id];
      const wanted = { accountId: undefined, connectionId: undefined, ...filter };
      const { query } = feedPage(owner, wanted, { fields: undefined, limit: 100, after });
      expectIndexed(await planOf(query), 101);
    },
  );

  test('the head of the feed', async () => {
    expectIndexed(await planOf(feedHead(owner)), 1);
  });

  const scopes = [{}, { accountId: id }, { connectionId: connection(1) }, { entityId: entity(1) }];
  const balanceOrders = [
    ['by date', undefined, ['2025-05-01', id]],
    ['by updatedAt', '2026-01-01T00:00:01Z', ['2026-01-01T00:00:10Z', id, '2025-05-01']],
  ] as const;
  const balanceLists = scopes.flatMap((scope) => balanceOrders.map((order) => [scope, ...order] as const));

  test.each(balanceLists)('balances of %j %s', async (scope, _order, updatedAtGte, after) => {
    const wanted = { ...none, dateGte: undefined, dateLt: undefined, updatedAtGte, ...scope };
    for (const from of [undefined, after]) {
      const { query } = balancesPage(owner, wanted, { limit: 100, after: from });
      // The accounts of the key's own date are stepped over.
      expectIndexed(await planOf(query), 101 + 20);
    }
  });

  test('balances of some dates, in the order of changes', async () => {
    const wanted = { ...none, dateGte: '2030-01-01', dateLt: undefined, updatedAtGte: '2026-01-01T00:00:01Z' };
    const { query } = balancesPage(owner, wanted, { limit: 100, after: undefined });
    expectIndexed(await planOf(query), walkMax);
  });
});
