import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { execFile } from 'node:child_process';
import { createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clientOf, connected, until, type Client, type Json } from './client.ts';

type Feed = { events: { type: string; transaction: Json }[]; nextCursor: string; hasMore: boolean };

const run = promisify(execFile);

type PublicKeys = Readonly<{ keys: readonly [Readonly<{ kid: string }> & JsonWebKey] }>;

/** With what is printed and node:crypto alone. */
const verifiesAlone = (receipt: Json, { keys: [jwk] }: PublicKeys): boolean => {
  const { signature, verified, rows, ...rest } = receipt;
  const inOrder = (value: object): object => Object.fromEntries(Object.entries(value).sort());
  const text = JSON.stringify(inOrder({ ...rest, rows: inOrder(rows as object) }));
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  return verified === true && verify(null, Buffer.from(text), key, Buffer.from(String(signature), 'base64'));
};

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

  const causeway = async (...words: string[]): Promise<Json> => {
    const { stdout } = await run(process.execPath, ['tools/causeway.mjs', ...words, '--json'], {
      env: { ...process.env, CAUSEWAY_DATA_DIR: dataDir },
    });
    return JSON.parse(stdout) as Json;
  };
  const receiptOf = (id: string): Promise<Json> => causeway('erasures', 'show', id);

  const feedFrom = async (cursor: string): Promise<Feed> =>
    (await client.get(`/v1/transactions/sync?limit=500&cursor=${encodeURIComponent(cursor)}`)).body as unknown as Feed;

  test('is gone when that is answered; its rows leave the feed by their ids alone, and stay gone', async () => {
    const head = String((await client.get('/v1/transactions/sync')).body['nextCursor']);
    const id = await connected(client, 'sandbox-instant');
    const before = await client.all('/v1/transactions?limit=500');
    const synced = String((await client.get('/v1/transactions/sync')).body['nextCursor']);

    const [accounts, balances] = [await client.all('/v1/accounts'), await client.all('/v1/balances?limit=500')];
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

    await until('a receipt says so', async () => (await receiptOf(id))['completedAt'] !== null);
    const receipt = await receiptOf(id);
    const rows = { accounts: accounts.length, transactions: before.length, balances: balances.length };
    expect(receipt).toMatchObject({ connectionId: id, verified: true, rows });
    expect((receipt['rows'] as { events: number }).events).toBeGreaterThan(before.length);
    const times = ['requestedAt', 'keyDestroyedAt', 'completedAt'].map((name) => String(receipt[name]));
    expect([...times].sort()).toEqual(times);
    expect(verifiesAlone(receipt, (await causeway('erasures', 'key')) as unknown as PublicKeys)).toBe(true);
    const said = before.flatMap((row) => [String(row['description']), row.id]);
    expect(said.filter((text) => JSON.stringify(receipt).includes(text))).toEqual([]);
    for (const name of ['transactions', 'balances']) {
      expect(await causeway('projections', 'verify', name)).toMatchObject({ outcome: 'equal' });
    }
    const { verified, ...listed } = receipt;
    expect([verified, await causeway('erasures', 'list')]).toEqual([true, [listed]]);

    const again = await connected(client, 'sandbox-instant');
    expect(again).not.toBe(id);
    const ids = new Set((await client.all('/v1/transactions?limit=500')).map((row) => row.id));
    expect(before.filter((row) => ids.has(row.id))).toEqual([]);
  });
});
