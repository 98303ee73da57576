import type { Pool } from '@causeway/postgres';
import { describeWithPostgres } from '@causeway/testing';
import { startGateway, type GatewayUnderTest } from '../../../testing/gateway-under-test.ts';
import { insert } from '../../../testing/tables.ts';
import {
  changedRow,
  microsecond,
  removedRow,
  rowsMax,
  seedTransactions,
  uuid,
  type Event,
  type Transaction,
} from '../../../testing/transactions.ts';

describeWithPostgres('the transactions feed', () => {
  let gateway: GatewayUnderTest;
  let pool: Pool;

  beforeAll(async () => {
    gateway = await startGateway({ topics: [], commands: new Map() });
    ({ pool } = gateway);
  });
  afterAll(() => gateway.close());
  beforeEach(() => seedTransactions(pool));

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
  const put = async (...rows: readonly object[]): Promise<void> => {
    for (const one of rows) {
      await pool.query('DELETE FROM owners.transactions WHERE id = $1', [(one as { id: string }).id]);
      await insert(pool, 'transactions', [one]);
    }
  };

  test('the first call has no events and a cursor at the head', async () => {
    const first = await read('');
    expect([first.events, first.hasMore]).toEqual([[], false]);
    expect((await drain(first.nextCursor)).events).toEqual([]);
  });

  test('what happened since is told once, in its newest state, in order, by what became of it', async () => {
    const { nextCursor } = await read('');
    await put(
      changedRow(3, { at: 101 }),
      changedRow(200, { at: 102, addedAt: 102 }),
      changedRow(200, { at: 103, addedAt: 102 }),
      removedRow(5, { at: 104 }),
      removedRow(201, { at: 105, addedAt: 105 }),
    );
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
    expect(Object.keys(events[2]?.transaction ?? {}).sort()).toEqual(['accountId', 'connectionId', 'id', 'updatedAt']);
    expect((await drain(cursor)).events).toEqual([]);
    expect((await gateway.send('GET', `/v1/transactions/${uuid(1, 5)}`)).status).toBe(404);
  });

  test('rows that one stored event removed have event ids of their own, the same on every read', async () => {
    const { nextCursor } = await read('');
    await put(...[1, 2, 3].map((n) => removedRow(n, { at: 101 })));
    const told = (await drain(nextCursor)).events.map(({ eventId }) => eventId);
    expect(new Set(told).size).toBe(3);
    expect((await drain(nextCursor)).events.map(({ eventId }) => eventId)).toEqual(told);
  });

  test('filters show their part of it; fields trims all but what a removal tells', async () => {
    const query = `accountId=${uuid(2, 1)}&connectionId=${uuid(3, 1)}&`;
    const { nextCursor } = await read(query);
    await put(...[1, 2].map((n) => changedRow(n, { at: 100 + n })), removedRow(5, { at: 105 }));
    const { events } = await drain(nextCursor, `${query}fields=rail&`);
    expect(events.map(({ transaction }) => Object.keys(transaction).sort())).toEqual([
      ['accountId', 'connectionId', 'id', 'rail'],
      ['accountId', 'connectionId', 'id', 'updatedAt'],
    ]);
  });

  test('a connection that is being erased is not read any more, and its rows appear as removed when they are', async () => {
    const { nextCursor } = await read('');
    await pool.query('INSERT INTO owners.erased_connection VALUES ($1)', [uuid(3, 1)]);
    const listed = (await gateway.send('GET', '/v1/transactions?limit=500')).body['data'] as Transaction[];
    expect(listed.map(({ connectionId }) => connectionId)).toEqual(Array(rowsMax / 2).fill(uuid(3, 0)));
    expect((await gateway.send('GET', `/v1/transactions/${uuid(1, 1)}`)).status).toBe(404);
    await put(removedRow(1, { at: 101 }));
    const { events } = await drain(nextCursor);
    expect(events.map(({ type, transaction }) => [type, transaction.id])).toEqual([['removed', uuid(1, 1)]]);
  });
});
