import type { Pool } from '@causeway/postgres';
import { describeWithPostgres } from '@causeway/testing';
import { startGateway, type GatewayUnderTest } from '../../../testing/gateway-under-test.ts';
import { insert } from '../../../testing/tables.ts';
import { microsecond, uuid } from '../../../testing/transactions.ts';

type Balance = Readonly<{ date: string; ledgerBalance: string; updatedAt: string }>;

const accountId = uuid(2, 1);
const day = (n: number): string => `2026-03-0${n}`;
/** A day as a change made it. */
const row = (n: number, at: number, ledgerBalance: string, cause: string | null = null): object => ({
  ...{ organization: 'demo', environment: 'test', accountId, connectionId: uuid(3, 1), entityId: uuid(4, 1) },
  ...{ date: day(n), currency: 'USD', ledgerBalance, postedTransactionDelta: '0', source: 'derived' },
  ...{ updatedAt: microsecond(at), eventId: uuid(5, at), cause, reason: null, operator: null },
});

describeWithPostgres('the past of daily balances', () => {
  let gateway: GatewayUnderTest;
  let pool: Pool;

  /** Changes 1 and 2 make two days; 3 restates the first and moves the second with it; 4 makes a third. */
  beforeAll(async () => {
    gateway = await startGateway({ topics: [], commands: new Map() });
    ({ pool } = gateway);
    await insert(pool, 'balances', [row(1, 3, '9.10', 'restated'), row(2, 3, '8.00'), row(3, 4, '8.00')]);
    await insert(pool, 'balance_versions', [
      { ...row(1, 1, '7.00', 'reported'), supersededAt: microsecond(3) },
      { ...row(2, 2, '6.00'), supersededAt: microsecond(3) },
    ]);
    await pool.query(`INSERT INTO owners.projection VALUES ('balances', true, 4, $1)`, [microsecond(4)]);
    await pool.query('INSERT INTO owners.high_water VALUES (4, $1)', [Date.UTC(2026, 0, 1) * 1000 + 9]);
  });
  afterAll(() => gateway.close());

  const get = (query: string) => gateway.send('GET', `/v1/balances${query}`);
  const walk = async (query: string): Promise<readonly string[]> => {
    const rows: string[] = [];
    for (let cursor = ''; ;) {
      const { status, body } = await get(`?limit=1&${query}${cursor}`);
      expect(status).toBe(200);
      for (const { date, ledgerBalance } of body['data'] as Balance[]) rows.push(`${date} ${ledgerBalance}`);
      const { nextCursor } = body['pagination'] as { nextCursor: string | null };
      if (nextCursor === null) return rows;
      cursor = `&cursor=${nextCursor}`;
    }
  };

  test.each([
    [1, ['2026-03-01 7.00']],
    [2, ['2026-03-02 6.00', '2026-03-01 7.00']],
    [3, ['2026-03-02 8.00', '2026-03-01 9.10']],
    [5, ['2026-03-03 8.00', '2026-03-02 8.00', '2026-03-01 9.10']],
  ])('after change %i is what was shown then', async (changes, rows) => {
    expect(await walk(`asOf=${microsecond(changes)}`)).toEqual(rows);
    expect(await walk(`accountId=${accountId}&dateLt=2026-03-09&asOf=${microsecond(changes)}`)).toEqual(rows);
    const byChange = await walk(`asOf=${microsecond(changes)}&updatedAtGte=${microsecond(2)}`);
    expect(byChange.toSorted()).toEqual(rows.filter((text) => changes > 2 || !text.startsWith('2026-03-01')).sort());
  });

  test('an instant to come is refused', async () => {
    expect((await get(`?asOf=${microsecond(10)}`)).body['type']).toBe('invalid_request');
  });

  test('a history tells each change of a day with its cause, oldest first', async () => {
    const changes: unknown[] = [];
    for (let cursor = ''; ;) {
      const { body } = await get(`/history?accountId=${accountId}&date=${day(1)}&limit=1${cursor}`);
      changes.push(...(body['data'] as unknown[]));
      const { nextCursor } = body['pagination'] as { nextCursor: string | null };
      if (nextCursor === null) break;
      cursor = `&cursor=${nextCursor}`;
    }
    const shown = (ledgerBalance: string, at: number) =>
      expect.objectContaining({ accountId, date: day(1), ledgerBalance, updatedAt: microsecond(at) }) as object;
    const nobody = { reason: null, operator: null };
    expect(changes).toEqual([
      { eventId: uuid(5, 1), recordedAt: microsecond(1), cause: 'reported', ...nobody, balance: shown('7.00', 1) },
      { eventId: uuid(5, 3), recordedAt: microsecond(3), cause: 'restated', ...nobody, balance: shown('9.10', 3) },
    ]);
    const [derived] = (await get(`/history?accountId=${accountId}&date=${day(2)}`)).body['data'] as { cause: string }[];
    expect(derived?.cause).toBe('derived');
  });

  test('who and why are told as they were written', async () => {
    const person = { reason: 'a "quoted" line\nand one more', operator: 'anna' };
    await insert(pool, 'balances', [{ ...row(4, 4, '1', 'corrected'), ...person }]);
    const { body } = await get(`/history?accountId=${accountId}&date=${day(4)}`);
    expect(body['data']).toMatchObject([{ cause: 'corrected', ...person }]);
    await pool.query('DELETE FROM owners.balances WHERE date = $1', [day(4)]);
  });

  test('an unknown account, another’s, and a day without a row have none; both must be named', async () => {
    const other = await gateway.issue({ organization: 'other' });
    const path = `/v1/balances/history?accountId=${accountId}&date=${day(1)}`;
    expect((await gateway.send('GET', path, { key: other.key })).status).toBe(404);
    expect((await get(`/history?accountId=${uuid(2, 9)}&date=${day(1)}`)).status).toBe(404);
    expect((await get(`/history?accountId=${accountId}&date=2020-01-01`)).status).toBe(404);
    expect((await get(`/history?accountId=${accountId}`)).status).toBe(400);
    expect((await get(`/history?date=${day(1)}`)).status).toBe(400);
  });
});
