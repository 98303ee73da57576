import type { Pool } from '@causeway/postgres';
import { walkMax } from '@causeway/read-models';
import { describeWithPostgres } from '@causeway/testing';
import { startGateway, type GatewayUnderTest } from '../../../testing/gateway-under-test.ts';
import { insert } from '../../../testing/tables.ts';
import {
  day,
  microsecond,
  removedRow,
  row,
  rowsMax,
  seedTransactions,
  uuid,
  type Transaction,
} from '../../../testing/transactions.ts';

describeWithPostgres('transactions', () => {
  let gateway: GatewayUnderTest;
  let pool: Pool;

  beforeAll(async () => {
    gateway = await startGateway({ topics: [], commands: new Map() });
    ({ pool } = gateway);
  });
  afterAll(() => gateway.close());
  beforeEach(() => seedTransactions(pool));

  const page = async (query: string) => {
    const { status, body } = await gateway.send('GET', `/v1/transactions?${query}`);
    expect(status).toBe(200);
    const { hasMore, nextCursor } = body['pagination'] as { hasMore: boolean; nextCursor: string | null };
    return { rows: body['data'] as Transaction[], hasMore, nextCursor };
  };
  const walk = async (query: string, between: (pages: number) => Promise<unknown> = async () => undefined) => {
    const rows: Transaction[] = [];
    for (let cursor = '', pages = 1; ; pages++) {
      const { rows: more, nextCursor } = await page(`${query}${cursor}`);
      rows.push(...more);
      if (nextCursor === null) return rows;
      cursor = `&cursor=${nextCursor}`;
      await between(pages);
    }
  };
  const ids = (rows: readonly Transaction[]): string[] => rows.map(({ id }) => id);

  test('a page that is long comes whole', async () => {
    const description = 'é'.repeat(200_000);
    await insert(pool, 'transactions', [row(1000, { description })]);
    const { rows } = await page('sort=-updatedAt&limit=1');
    expect(rows[0]?.['description']).toBe(description);
  });

  describe.each(['postedDate', '-postedDate', 'updatedAt', '-updatedAt'])('sorted by %s', (sort) => {
    const field = sort.replace('-', '') as 'postedDate' | 'updatedAt';
    const keyOf = (one: Transaction): string => `${one[field] ?? 'infinity'} ${one.id}`;

    test.each([1, 7, 500])(
      'pages of %i hold every row once, in order, the id breaking ties the same way',
      async (limit) => {
        const rows = await walk(`sort=${sort}&limit=${limit}`);
        const keys = rows.map(keyOf);
        expect(new Set(ids(rows)).size).toBe(rowsMax);
        expect(keys).toEqual(sort.startsWith('-') ? keys.toSorted().toReversed() : keys.toSorted());
      },
    );

    test('rows that stay put are neither dropped nor repeated while others come, move and go', async () => {
      let n = 1000;
      const disturb = async (pages: number): Promise<void> => {
        await insert(pool, 'transactions', [row(++n, { postedDate: day(1 + (n % 27)), status: 'posted' })]);
        const gone = rowsMax - pages * 2;
        await pool.query('DELETE FROM owners.transactions WHERE id = ANY ($1)', [[uuid(1, pages * 2), uuid(1, gone)]]);
        const moved = row(pages * 2, { updatedAt: microsecond(n), postedDate: day(28) });
        await insert(pool, 'transactions', [moved, ...(gone === pages * 2 ? [] : [removedRow(gone, { at: n })])]);
      };
      const seen = ids(await walk(`sort=${sort}&limit=7`, disturb));
      const still = Array.from({ length: rowsMax / 2 }, (_, k) => uuid(1, 2 * k + 1));
      expect(seen.filter((id) => still.includes(id)).toSorted()).toEqual(still);
    });
  });

  test.each<[string, (n: number) => boolean]>([
    [`accountId=${uuid(2, 1)}`, (n) => n % 4 === 1],
    [`connectionId=${uuid(3, 1).toUpperCase()}`, (n) => n % 2 === 1],
    [`entityId=${uuid(4, 0)}`, (n) => n % 2 === 0],
    ['status=pending', (n) => n % 5 === 0],
    ['rail=card', (n) => n % 2 === 0],
    [`postedDateGte=${day(5)}`, (n) => n % 5 !== 0 && 1 + (n % 9) >= 5],
    [`postedDateLt=${day(5)}`, (n) => n % 5 !== 0 && 1 + (n % 9) < 5],
    [`postedDateGte=${day(3)}&postedDateLt=${day(4)}&rail=ach`, (n) => n % 5 !== 0 && n % 9 === 2 && n % 2 === 1],
    [`accountId=${uuid(9, 9)}`, () => false],
  ])('%s shows these rows and no other', async (filter, shown) => {
    const expected = Array.from({ length: rowsMax }, (_, k) => k + 1).filter(shown);
    expect(ids(await walk(`${filter}&limit=4`)).toSorted()).toEqual(expected.map((n) => uuid(1, n)));
  });

  test('a row is shown whole: text untouched, amounts exact, times to the microsecond', async () => {
    const [first] = (await page('sort=updatedAt&limit=1')).rows;
    expect(first).toEqual({
      ...{ id: uuid(1, 1), connectionId: uuid(3, 1), accountId: uuid(2, 1), status: 'posted', postedDate: day(2) },
      ...{ updatedAt: microsecond(1), amount: '10.00', currency: 'USD', entryType: 'credit', rail: 'ach' },
      ...{
        description: 'row "1", "customerReference": é',
        rawDescription: null,
        customerReference: 'ref 1',
        bankReference: null,
      },
      ...{ baiCode: null, category: null, subcategory: null, mcc: null, merchantName: null },
      ...{ counterpartyName: null, counterpartyAccountMasked: null },
    });
    const { body } = await gateway.send('GET', `/v1/transactions/${uuid(1, 3)}`);
    expect(body).toMatchObject({ paymentReference: 'ref 3', amount: '-1.50', entryType: 'debit' });
    expect(body).not.toHaveProperty('customerReference');
  });

  test('a filter that no index serves stops after a bound, with fewer rows than asked for, and goes on from there', async () => {
    await pool.query(
      `INSERT INTO owners.transactions (id, organization, environment, rail, status, sort_date, updated_at, removed, json)
       SELECT md5(n::text)::uuid, 'demo', 'test', CASE WHEN n IN (10, $1 + 20) THEN 'cash' ELSE 'wire' END, 'posted',
         '2024-01-01', at, false, jsonb_build_object('id', md5(n::text)::uuid, 'postedDate', '2024-01-01',
           'updatedAt', to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
         FROM generate_series(1, 3 * $1::int) n,
              LATERAL (SELECT timestamptz '2027-01-01Z' + n * interval '1 ms' AS at) moment`,
      [walkMax],
    );
    for (const sort of ['postedDate', 'updatedAt', '-postedDate', '-updatedAt']) {
      const lengths: number[] = [];
      const found: string[] = [];
      for (let cursor = ''; ;) {
        const { rows, hasMore, nextCursor } = await page(`sort=${sort}&rail=cash&limit=100${cursor}`);
        lengths.push(rows.length);
        found.push(...ids(rows));
        if (!hasMore) break;
        cursor = `&cursor=${nextCursor}`;
      }
      expect(lengths.length).toBe(4);
      expect(new Set(found).size).toBe(2);
      expect(found.length).toBe(2);
    }
  });

  test('fields shows these and the identifiers, and may change from page to page', async () => {
    const first = await page('fields=amount&limit=2');
    expect(Object.keys(first.rows[0] ?? {}).sort()).toEqual(['accountId', 'amount', 'connectionId', 'id']);
    const second = await page(`fields=rail&limit=3&cursor=${first.nextCursor}`);
    expect(second.rows.map((one) => Object.keys(one).sort())).toEqual(
      Array(3).fill(['accountId', 'connectionId', 'id', 'rail']),
    );
    const { body } = await gateway.send('GET', `/v1/transactions/${uuid(1, 3)}?fields=paymentReference`);
    expect(Object.keys(body).sort()).toEqual(['accountId', 'connectionId', 'id', 'paymentReference']);
  });

  test('a cursor belongs to its query, sort, endpoint, organization and environment', async () => {
    const { nextCursor } = await page('status=posted&limit=1');
    const other = await gateway.issue({ organization: 'other' });
    const live = await gateway.issue({ environment: 'live' });
    const feed = (await gateway.send('GET', '/v1/transactions/sync')).body['nextCursor'] as string;
    for (const [path, key] of [
      [`/v1/transactions?cursor=${nextCursor}`],
      [`/v1/transactions?status=posted&sort=postedDate&cursor=${nextCursor}`],
      [`/v1/transactions?status=posted&rail=card&cursor=${nextCursor}`],
      [`/v1/transactions/sync?cursor=${nextCursor}`],
      [`/v1/transactions?cursor=${feed}`],
      [`/v1/transactions/sync?accountId=${uuid(2, 1)}&cursor=${feed}`],
      [`/v1/transactions?status=posted&cursor=${nextCursor}`, other.key],
      [`/v1/transactions?status=posted&cursor=${nextCursor}`, live.key],
    ] as const) {
      const answer = await gateway.send('GET', path, key === undefined ? {} : { key });
      expect([path, answer.status, answer.body['type']]).toEqual([path, 400, 'invalid_cursor']);
    }
    expect(
      (await gateway.send('GET', `/v1/transactions?status=posted&sort=-postedDate&cursor=${nextCursor}`)).status,
    ).toBe(200);
  });

  test('another organization, another environment and another’s connection see none of it', async () => {
    const other = await gateway.issue({ organization: 'other' });
    const live = await gateway.issue({ environment: 'live' });
    for (const { key } of [other, live]) {
      for (const filter of ['', `?accountId=${uuid(2, 1)}`, `?connectionId=${uuid(3, 1)}`, `?entityId=${uuid(4, 1)}`]) {
        expect((await gateway.send('GET', `/v1/transactions${filter}`, { key })).body['data']).toEqual([]);
      }
      expect((await gateway.send('GET', `/v1/transactions/${uuid(1, 3)}`, { key })).status).toBe(404);
      const feed = (await gateway.send('GET', '/v1/transactions/sync', { key })).body['nextCursor'] as string;
      const { body } = await gateway.send('GET', `/v1/transactions/sync?cursor=${feed}`, { key });
      expect(body['events']).toEqual([]);
    }
  });
});
