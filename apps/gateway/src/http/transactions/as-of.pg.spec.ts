import type { Pool } from '@causeway/postgres';
import { describeWithPostgres } from '@causeway/testing';
import { startGateway, type GatewayUnderTest } from '../../../testing/gateway-under-test.ts';
import { insert } from '../../../testing/tables.ts';
import {
  changedRow,
  microsecond,
  removedRow,
  row,
  rowsMax,
  seedTransactions,
  uuid,
  type Transaction,
} from '../../../testing/transactions.ts';

const newYear = Date.UTC(2026, 0, 1) * 1000;
type Change = Readonly<{ recordedAt: string; cause: string; transaction: Transaction | null }>;

describeWithPostgres('the past of transactions', () => {
  let gateway: GatewayUnderTest;
  let pool: Pool;

  beforeAll(async () => {
    gateway = await startGateway({ topics: [], commands: new Map() });
    ({ pool } = gateway);
  });
  afterAll(() => gateway.close());

  /** How far the rows and the store are, in changes. */
  const standAt = async (rows: number, head = rows, knownUntil = head): Promise<void> => {
    await pool.query('TRUNCATE owners.projection, owners.high_water');
    await pool.query(`INSERT INTO owners.projection VALUES ('transactions', true, $1, $2)`, [rows, microsecond(rows)]);
    await pool.query('INSERT INTO owners.high_water VALUES ($1, $2)', [head, newYear + knownUntil]);
  };

  /** The rows of the 60 changes; then 61 changes the first, 62 removes the second, 63 the first again. */
  beforeAll(async () => {
    await seedTransactions(pool);
    await pool.query('DELETE FROM owners.transactions WHERE id IN ($1, $2)', [uuid(1, 1), uuid(1, 2)]);
    const posted = { ...changedRow(1, { at: 61 }), cause: 'posted' };
    const corrected = { ...changedRow(1, { at: 63 }), cause: 'corrected', reason: 'ticket 7', operator: 'anna' };
    await insert(pool, 'transactions', [corrected, { ...removedRow(2, { at: 62 }), cause: 'withdrawn' }]);
    await insert(pool, 'transaction_versions', [
      { ...row(1), supersededAt: microsecond(61), cause: null },
      { ...posted, supersededAt: microsecond(63) },
      { ...row(2), supersededAt: microsecond(62), cause: null },
    ]);
    await standAt(63);
  });

  const get = (path: string) => gateway.send('GET', `/v1/transactions${path}`);
  const walk = async (query: string): Promise<readonly Transaction[]> => {
    const rows: Transaction[] = [];
    for (let cursor = ''; ;) {
      const { status, body } = await get(`?${query}${cursor}`);
      expect(status).toBe(200);
      rows.push(...(body['data'] as Transaction[]));
      const { nextCursor } = body['pagination'] as { nextCursor: string | null };
      if (nextCursor === null) return rows;
      cursor = `&cursor=${nextCursor}`;
    }
  };
  const updatesOf = (rows: readonly Transaction[]) => rows.map(({ id, updatedAt }) => `${id} ${updatedAt}`).sort();
  /** What the list showed after so many changes. */
  const shownAfter = (changes: number): readonly string[] => {
    const newest = new Map(Array.from({ length: Math.min(changes, rowsMax) }, (_, n) => [n + 1, n + 1]));
    if (changes >= 61) newest.set(1, 61);
    if (changes >= 62) newest.delete(2);
    if (changes >= 63) newest.set(1, 63);
    return [...newest].map(([n, at]) => `${uuid(1, n)} ${microsecond(at)}`).sort();
  };

  describe.each(['postedDate', '-postedDate', 'updatedAt', '-updatedAt'])('sorted by %s', (sort) => {
    test.each([1, 7, 30, 60, 61, 62, 63])('after %i changes are what was shown then', async (changes) => {
      for (const limit of [4, 500]) {
        const rows = await walk(`sort=${sort}&limit=${limit}&asOf=${microsecond(changes)}`);
        expect(updatesOf(rows)).toEqual(shownAfter(changes));
        const field = sort.replace('-', '') as 'postedDate' | 'updatedAt';
        const keys = rows.map((each) => `${each[field] ?? 'infinity'} ${each.id}`);
        expect(keys).toEqual(sort.startsWith('-') ? keys.toSorted().toReversed() : keys.toSorted());
      }
    });
  });

  test('are filtered as lists are, and name an instant in any zone', async () => {
    const zoned = encodeURIComponent('2025-12-31T19:00:00.00006-05:00');
    const pending = await walk(`status=pending&asOf=${zoned}`);
    expect(pending.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'pending'));
    expect(await walk(`accountId=${uuid(2, 1)}&rail=ach&asOf=${zoned}&fields=status`)).toHaveLength(15);
  });

  test('have cursors of their own', async () => {
    const { body } = await get(`?limit=1&asOf=${microsecond(60)}`);
    const { nextCursor } = body['pagination'] as { nextCursor: string };
    const cursor = `&limit=1&cursor=${nextCursor}`;
    expect((await get(`?${cursor}`)).body['type']).toBe('invalid_cursor');
    expect((await get(`?asOf=${microsecond(61)}${cursor}`)).body['type']).toBe('invalid_cursor');
    expect((await get(`?asOf=${microsecond(60)}${cursor}`)).status).toBe(200);
  });

  test('a single one is what it was, and not there before and after', async () => {
    const at = (changes: number) => get(`/${uuid(1, 2)}?asOf=${microsecond(changes)}`);
    expect([await at(1), await at(62), await get(`/${uuid(1, 2)}`)].map(({ status }) => status)).toEqual([
      404, 404, 404,
    ]);
    expect((await at(61)).body).toMatchObject({ id: uuid(1, 2), updatedAt: microsecond(2), paymentReference: 'ref 2' });
  });

  test('a history tells each change with its cause, oldest first', async () => {
    const { body } = await get(`/${uuid(1, 1)}/history?limit=2`);
    const { nextCursor } = body['pagination'] as { nextCursor: string };
    const rest = await get(`/${uuid(1, 1)}/history?limit=2&cursor=${nextCursor}`);
    const changes = [...(body['data'] as Change[]), ...(rest.body['data'] as Change[])];
    const nobody = { reason: null, operator: null };
    expect(changes).toEqual(
      [
        { eventId: uuid(5, 1), recordedAt: microsecond(1), cause: 'recorded', ...nobody },
        { eventId: uuid(5, 61), recordedAt: microsecond(61), cause: 'posted', ...nobody },
        { eventId: uuid(5, 63), recordedAt: microsecond(63), cause: 'corrected', reason: 'ticket 7', operator: 'anna' },
      ].map((change) => ({
        ...change,
        transaction: expect.objectContaining({ updatedAt: change.recordedAt }) as object,
      })),
    );
    expect((await get(`/${uuid(1, 3)}/history?limit=2&cursor=${nextCursor}`)).body['type']).toBe('invalid_cursor');
  });

  test('a withdrawn one has its history, the end of which is the removal that the feed tells', async () => {
    const changes = (await get(`/${uuid(1, 2)}/history`)).body['data'] as (Change & { eventId: string })[];
    expect(changes.map(({ cause, transaction }) => [cause, transaction?.id])).toEqual([
      ['recorded', uuid(1, 2)],
      ['withdrawn', undefined],
    ]);
    expect(changes[1]?.transaction).toBeNull();
    const cursor = (await get('/sync')).body['nextCursor'] as string;
    await insert(pool, 'transactions', [removedRow(900, { at: 900 })]);
    const events = (await get(`/sync?cursor=${cursor}`)).body['events'] as { eventId: string }[];
    const own = await pool.query<{ id: string }>(
      `SELECT md5(event_id::text || id::text)::uuid AS id
      FROM owners.transactions WHERE id IN ($1, $2) ORDER BY updated_at`,
      [uuid(1, 2), uuid(1, 900)],
    );
    expect([changes[1]?.eventId, events[0]?.eventId]).toEqual(own.rows.map(({ id }) => id));
    await pool.query('DELETE FROM owners.transactions WHERE id = $1', [uuid(1, 900)]);
  });

  test('what is unknown, another’s or erased has none, whatever else is wrong', async () => {
    const other = await gateway.issue({ organization: 'other' });
    const withdrawn = `/v1/transactions/${uuid(1, 2)}/history`;
    expect((await get(`/${uuid(1, 999)}/history?limit=0`)).status).toBe(404);
    expect((await get(`/${uuid(1, 2)}/history?limit=0`)).status).toBe(400);
    expect((await gateway.send('GET', withdrawn, { key: other.key })).status).toBe(404);
    await pool.query('INSERT INTO owners.erased_connection VALUES ($1)', [uuid(3, 0)]);
    expect((await get(`/${uuid(1, 2)}/history`)).status).toBe(404);
    expect((await get(`/${uuid(1, 2)}?asOf=${microsecond(61)}`)).status).toBe(404);
    expect(await walk(`connectionId=${uuid(3, 0)}&asOf=${microsecond(61)}`)).toEqual([]);
    await pool.query('TRUNCATE owners.erased_connection');
  });

  test('an instant to come is refused, and so is one of more than six digits', async () => {
    for (const asOf of [microsecond(64), '2026-01-01T00:00:00.0000001Z', '2026-01-01', '']) {
      const { status, body } = await get(`?asOf=${asOf}`);
      expect([status, body['type']]).toEqual([400, 'invalid_request']);
      expect((body['details'] as { errors: { path: string }[] }).errors[0]?.path).toBe('asOf');
    }
  });

  test('rows that are behind are waited for, a while', async () => {
    await standAt(63, 70, 80);
    const began = performance.now();
    const { status, body, headers } = await get(`?asOf=${microsecond(75)}`);
    expect([status, body['type'], headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    expect(performance.now() - began).toBeGreaterThan(1900);
    const waiting = get(`?asOf=${microsecond(75)}`);
    await standAt(70, 70, 80);
    expect((await waiting).status).toBe(200);
    // What was settled stays so, whoever is behind.
    await standAt(63, 90, 90);
    expect((await get(`?asOf=${microsecond(80)}`)).status).toBe(200);
  });
});
