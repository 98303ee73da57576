import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, connected, until, type Client, type Json } from './client.ts';

type Feed = { events: { type: string; transaction: Json }[]; nextCursor: string; hasMore: boolean };

describeWithPostgres('a deleted connection', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  let system: System;
  let client: Client;

  beforeAll(async () => {
    system = await startSystem({ dataDir });
    client = clientOf(system);
  });

  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  const feedFrom = async (cursor: string): Promise<Feed> =>
    (await client.get(`/v1/transactions/sync?limit=500&cursor=${encodeURIComponent(cursor)}`)).body as unknown as Feed;

  test('is gone when that is answered; its rows leave the feed by their ids alone, and stay gone', async () => {
    const head = String((await client.get('/v1/transactions/sync')).body['nextCursor']);
    const id = await connected(client, 'sandbox-instant');
    const before = await client.all('/v1/transactions?limit=500');
    const synced = String((await client.get('/v1/transactions/sync')).body['nextCursor']);

    const deleted = await client.send('DELETE', `/v1/connections/${id}`);
    expect(deleted.status).toBe(200);
    expect(deleted.body['connectionId']).toBe(id);
    expect((await client.get(`/v1/connections/${id}`)).status).toBe(404);
    expect(await client.all('/v1/accounts')).toEqual([]);
    expect(await client.all('/v1/transactions')).toEqual([]);
    expect(await client.all('/v1/balances')).toEqual([]);
    expect((await client.get(`/v1/transactions/${before[0]?.id ?? ''}`)).status).toBe(404);

    const removed = new Map<string, Json>();
    let cursor = synced;
    await until('every row is removed from the feed', async () => {
      const page = await feedFrom(cursor);
      page.events.forEach(({ type, transaction }) => {
        expect(type).toBe('removed');
        removed.set(String(transaction['id']), transaction);
      });
      cursor = page.nextCursor;
      return removed.size >= before.length;
    });
    expect([...removed.keys()].sort()).toEqual(before.map((row) => row.id).sort());
    for (const transaction of removed.values()) {
      expect(Object.keys(transaction).sort()).toEqual(['accountId', 'connectionId', 'id', 'updatedAt']);
    }
    // Who had not yet heard of them at all hears of their going.
    const late = await feedFrom(head);
    expect(new Set(late.events.map(({ type }) => type))).toEqual(new Set(['removed']));

    const again = await connected(client, 'sandbox-instant');
    expect(again).not.toBe(id);
    const ids = new Set((await client.all('/v1/transactions?limit=500')).map((row) => row.id));
    expect(before.filter((row) => ids.has(row.id))).toEqual([]);
  });
});
