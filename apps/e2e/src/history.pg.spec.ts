import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, connected, happen, synced, type Client, type Json, type Row } from './client.ts';

/** Each changes the past at the bank. */
const scenarios = [
  ...['new-transactions', 'restate-transaction', 'withdraw-transaction', 'reverse-transaction', 'restate-balance'],
];
type Past = Readonly<{ at: string; transactions: readonly Row[]; balances: readonly Row[] }>;
type Change = Readonly<{ recordedAt: string; cause: string; transaction: Row | null; balance: Row }>;

describeWithPostgres('the past', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  let system: System;
  let client: Client;
  const pasts: Past[] = [];

  const listed = async (query = ''): Promise<Omit<Past, 'at'>> => ({
    transactions: await client.all(`/v1/transactions?sort=updatedAt&limit=500${query}`),
    balances: await client.all(`/v1/balances?limit=500${query}`),
  });
  /** As it is while nothing happens. */
  const remember = async (): Promise<void> => {
    const { headers } = await client.get('/v1/transactions?limit=1');
    expect(headers.get('x-request-id')).not.toBeNull();
    const at = new Date().toISOString();
    pasts.push({ at, ...(await listed()) });
  };

  beforeAll(async () => {
    const env = { CAUSEWAY_REQUESTS_PER_SECOND: '0', CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0' };
    system = await startSystem({ dataDir, env: { ...env, CAUSEWAY_SYNC_INTERVAL_SECONDS: '0' } });
    client = clientOf(system);
    const first = await connected(client, 'sandbox-instant');
    await remember();
    for (const scenario of scenarios) {
      await happen(system, first, scenario);
      await synced(client, first);
      await remember();
    }
  });
  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  test('of both lists is what they answered at each instant', async () => {
    for (const { at, ...then } of pasts) expect(await listed(`&asOf=${at}`)).toEqual(then);
  });

  test('of every row is told by its history, up to what it is now', async () => {
    const newest = pasts.at(-1)!;
    const changed = newest.transactions.filter(({ updatedAt }) => updatedAt > pasts[0]!.at);
    expect(changed.length).toBeGreaterThan(0);
    for (const { id } of changed) {
      const changes = (await client.all(`/v1/transactions/${id}/history`)) as unknown as Change[];
      expect(changes.at(-1)?.transaction).toEqual(newest.transactions.find((row) => row.id === id));
      expect(changes[0]?.cause).toBe('recorded');
      const times = changes.map(({ recordedAt }) => recordedAt);
      expect(times).toEqual(times.toSorted());
      for (const { recordedAt, transaction } of changes) {
        const { status, body } = await client.get(`/v1/transactions/${id}?asOf=${recordedAt}`);
        expect([status, status === 200 ? body['amount'] : undefined]).toEqual(
          transaction === null ? [404, undefined] : [200, transaction['amount']],
        );
      }
    }
  });

  test('of every day likewise', async () => {
    const moved = pasts.at(-1)!.balances.filter(({ updatedAt }) => updatedAt > pasts[0]!.at);
    expect(moved.length).toBeGreaterThan(0);
    const causes = new Set<string>();
    for (const day of moved.slice(0, 30)) {
      const path = `/v1/balances/history?accountId=${String(day['accountId'])}&date=${String(day['date'])}`;
      const changes = (await client.all(path)) as unknown as Change[];
      expect(changes.at(-1)?.balance).toEqual(day);
      for (const { cause } of changes) causes.add(cause);
    }
    expect([...causes]).toEqual(expect.arrayContaining(['derived']));
  });

  test('goes with a connection that is deleted', async () => {
    const [row] = pasts[0]!.transactions;
    const connectionId = String((row as unknown as Json)['connectionId']);
    expect((await client.send('DELETE', `/v1/connections/${connectionId}`)).status).toBe(200);
    expect((await client.get(`/v1/transactions/${row!.id}/history`)).status).toBe(404);
    expect(await listed(`&asOf=${pasts.at(-1)!.at}`)).toEqual({ transactions: [], balances: [] });
  });
});
