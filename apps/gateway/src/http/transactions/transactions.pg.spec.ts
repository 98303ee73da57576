import type { Pool } from '@causeway/postgres';
import { describeWithPostgres } from '@causeway/testing';
import { startGateway, type GatewayUnderTest } from '../testing/gateway-under-test.ts';
import { insert } from '../testing/tables.ts';

type Transaction = Readonly<Record<string, string | null>> & { id: string; updatedAt: string };
type Event = Readonly<{ eventId: string; eventAt: string; type: string; transaction: Transaction }>;

const uuid = (kind: number, n: number): string => `0000000${kind}-0000-4000-8000-${String(n).padStart(12, '0')}`;
const microsecond = (n: number): string => `2026-01-01T00:00:00.${String(n).padStart(6, '0')}Z`;
const day = (n: number): string => `2025-01-${String(n).padStart(2, '0')}`;

/** The n-th change: rows of one table differ in everything that a filter or a sort can ask for. */
const row = (n: number, changes: object = {}): object => ({
  organization: 'demo',
  environment: 'test',
  id: uuid(1, n),
  entityId: uuid(4, n % 2),
  connectionId: uuid(3, n % 2),
  accountId: uuid(2, n % 4),
  status: n % 5 === 0 ? 'pending' : 'posted',
  postedDate: n % 5 === 0 ? null : day(1 + (n % 9)),
  amount: n % 3 === 0 ? '-1.50' : '10.00',
  currency: 'USD',
  description: `row "${n}" – é`,
  rail: n % 2 === 0 ? 'card' : 'ach',
  customerReference: `ref ${n}`,
  addedAt: microsecond(n),
  updatedAt: microsecond(n),
  eventId: uuid(5, n),
  removed: false,
  ...changes,
});

const rowsMax = 60;

describeWithPostgres('transactions', () => {
  let gateway: GatewayUnderTest;
  let pool: Pool;

  beforeAll(async () => {
    gateway = await startGateway({ topics: [], commands: new Map() });
    ({ pool } = gateway);
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    await pool.query('TRUNCATE owners.transactions, owners.erased_connection');
    await insert(
      pool,
      'transactions',
      Array.from({ length: rowsMax }, (_, n) => row(n + 1)),
    );
  });

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
        const moved = { updatedAt: microsecond(n), postedDate: day(28) };
        await pool.query('DELETE FROM owners.transactions WHERE id = $1', [uuid(1, pages * 2)]);
        await insert(pool, 'transactions', [row(pages * 2, moved)]);
        await pool.query('UPDATE owners.transactions SET removed = true WHERE id = $1', [uuid(1, rowsMax - pages * 2)]);
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
      ...{ description: 'row "1" – é', rawDescription: null, customerReference: 'ref 1', bankReference: null },
      ...{ baiCode: null, category: null, subcategory: null, mcc: null, merchantName: null },
      ...{ counterpartyName: null, counterpartyAccountMasked: null },
    });
    const { body } = await gateway.send('GET', `/v1/transactions/${uuid(1, 3)}`);
    expect(body).toMatchObject({ paymentReference: 'ref 3', amount: '-1.50', entryType: 'debit' });
    expect(body).not.toHaveProperty('customerReference');
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

  describe('the feed', () => {
    const read = async (query: string) => {
      const { status, body } = await gateway.send('GET', `/v1/transactions/sync?${query}`);
      expect(status).toBe(200);
      return body as unknown as Readonly<{ events: Event[]; nextCursor: string; hasMore: boolean }>;
    };
    const drain = async (from: string, query = ''): Promise<Readonly<{ events: Event[]; cursor: string }>> => {
      const events: Event[] = [];
      for (let cursor = from; ;) {
        const { events: more, nextCursor, hasMore } = await read(`${query}limit=7&cursor=${cursor}`);
        events.push(...more);
        cursor = nextCursor;
        if (!hasMore) return { events, cursor };
      }
    };
    const change = async (n: number, at: number, changes: object = {}): Promise<void> => {
      await pool.query('DELETE FROM owners.transactions WHERE id = $1', [uuid(1, n)]);
      const seen = { addedAt: microsecond(n), updatedAt: microsecond(at), eventId: uuid(5, at) };
      await insert(pool, 'transactions', [row(n, { ...seen, ...changes })]);
    };
    const gone = {
      removed: true,
      status: null,
      postedDate: null,
      amount: null,
      currency: null,
      description: null,
      rail: null,
      customerReference: null,
    };

    test('the first call has no events and a cursor at the head', async () => {
      const first = await read('');
      expect([first.events, first.hasMore]).toEqual([[], false]);
      expect((await drain(first.nextCursor)).events).toEqual([]);
    });

    test('what happened since is told once, in its newest state, in order, by what became of it', async () => {
      const { nextCursor } = await read('');
      await change(3, 101);
      await change(200, 102, { addedAt: microsecond(102) });
      await change(200, 103, { addedAt: microsecond(102) });
      await change(5, 104, gone);
      await change(201, 105, { ...gone, addedAt: microsecond(105) });
      const { events, cursor } = await drain(nextCursor);
      expect(events.map(({ type, eventAt, transaction }) => [transaction.id, type, eventAt])).toEqual([
        [uuid(1, 3), 'modified', microsecond(101)],
        [uuid(1, 200), 'added', microsecond(103)],
        [uuid(1, 5), 'removed', microsecond(104)],
        [uuid(1, 201), 'removed', microsecond(105)],
      ]);
      expect(events[0]).toMatchObject({
        eventId: uuid(5, 101),
        transaction: { customerReference: 'ref 3', amount: '-1.50' },
      });
      expect(Object.keys(events[2]?.transaction ?? {}).sort()).toEqual([
        'accountId',
        'connectionId',
        'id',
        'updatedAt',
      ]);
      expect((await drain(cursor)).events).toEqual([]);
      expect((await gateway.send('GET', `/v1/transactions/${uuid(1, 5)}`)).status).toBe(404);
    });

    test('rows that one stored event removed have event ids of their own, the same on every read', async () => {
      const { nextCursor } = await read('');
      for (const n of [1, 2, 3]) await change(n, 101, { ...gone, eventId: uuid(5, 101) });
      const told = (await drain(nextCursor)).events.map(({ eventId }) => eventId);
      expect(new Set(told).size).toBe(3);
      expect((await drain(nextCursor)).events.map(({ eventId }) => eventId)).toEqual(told);
    });

    test('filters show their part of it; fields trims all but what a removal tells', async () => {
      const query = `accountId=${uuid(2, 1)}&connectionId=${uuid(3, 1)}&`;
      const { nextCursor } = await read(query);
      for (const n of [1, 2, 5]) await change(n, 100 + n, n === 5 ? gone : {});
      const { events } = await drain(nextCursor, `${query}fields=rail&`);
      expect(events.map(({ transaction }) => Object.keys(transaction).sort())).toEqual([
        ['accountId', 'connectionId', 'id', 'rail'],
        ['accountId', 'connectionId', 'id', 'updatedAt'],
      ]);
    });

    test('a connection that is being erased is not read any more, and its rows appear as removed when they are', async () => {
      const { nextCursor } = await read('');
      await pool.query('INSERT INTO owners.erased_connection VALUES ($1)', [uuid(3, 1)]);
      expect(ids(await walk('limit=500')).every((id) => Number(id.slice(-4)) % 2 === 0)).toBe(true);
      expect((await gateway.send('GET', `/v1/transactions/${uuid(1, 1)}`)).status).toBe(404);
      await change(1, 101, gone);
      const { events } = await drain(nextCursor);
      expect(events.map(({ type, transaction }) => [type, transaction.id])).toEqual([['removed', uuid(1, 1)]]);
    });
  });
});
