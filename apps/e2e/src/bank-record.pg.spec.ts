import { add, compare, negate } from '@causeway/money';
import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, connected, happen, linesOf, synced, truthOf, type Client, type Row } from './client.ts';

describeWithPostgres('the mirror of a bank account', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  let system: System;
  let client: Client;
  let id: string;

  beforeAll(async () => {
    system = await startSystem({ dataDir, env: { CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0' } });
    client = clientOf(system);
    id = await connected(client, 'sandbox-instant');
  });

  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  const rows = (): Promise<Row[]> => client.all(`/v1/transactions?connectionId=${id}&limit=500`);
  const idsOf = (list: readonly Row[]): string[] => list.map((row) => row.id).sort();
  const expectBankRecord = async (list: readonly Row[]): Promise<void> => {
    const { transactions } = await truthOf(system, id);
    expect(linesOf(list.filter(({ status }) => status !== 'cancelled'))).toEqual(linesOf(transactions));
  };

  test('a sync that finds nothing new moves nothing', async () => {
    const before = await rows();
    await synced(client, id);
    expect(await rows()).toEqual(before);
  });

  test('a pending row that posts with another amount keeps its id', async () => {
    const before = await rows();
    const [posted] = await happen(system, id, 'post-pending', { amountChanges: true });
    await synced(client, id);
    const after = await rows();
    expect(posted).toBeDefined();
    expect(idsOf(after)).toEqual(idsOf(before));
    const moved = after.filter((row) => !before.some((old) => old.updatedAt === row.updatedAt));
    expect(moved.map(({ status }) => status)).toEqual(moved.map(() => 'posted'));
    expect(moved.length).toBeGreaterThan(0);
    await expectBankRecord(after);
  });

  test('ids and times stay when the bank gives every row a new id, or none', async () => {
    const before = await rows();
    await happen(system, id, 'reissue-ids');
    await synced(client, id);
    expect(await rows()).toEqual(before);
    await happen(system, id, 'missing-ids');
    await synced(client, id);
    expect(await rows()).toEqual(before);
    await happen(system, id, 'post-pending', {});
    await synced(client, id);
    const after = await rows();
    expect(idsOf(after)).toEqual(idsOf(before));
    await expectBankRecord(after);
    await happen(system, id, 'reissue-ids');
    await synced(client, id);
    expect(await rows()).toEqual(after);
  });

  test.each([
    ['new-transactions', { count: 7 }],
    ['restate-transaction', {}],
    ['withdraw-transaction', {}],
    ['late-posting', {}],
    ['large-page', {}],
  ])('%s ends in the bank’s own record', async (scenario, body) => {
    await happen(system, id, scenario, body);
    await synced(client, id);
    await expectBankRecord(await rows());
  });

  test('a row that the bank reverses is reversed, its counter-row is a row of its own, and both count', async () => {
    const before = await rows();
    const [counter] = await happen(system, id, 'reverse-transaction');
    await synced(client, id);
    const after = await rows();
    await expectBankRecord(after);
    const known = new Map(before.map((row) => [row.id, row]));
    const moved = after.filter((row) => known.get(row.id)?.updatedAt !== row.updatedAt);
    const [reversed] = moved.filter((row) => known.has(row.id));
    expect(moved.map(({ status }) => status).sort()).toEqual(['posted', 'reversed']);
    expect(reversed).toEqual({ ...known.get(reversed?.id ?? ''), status: 'reversed', updatedAt: reversed?.updatedAt });
    expect(compare(String(counter?.['amount']), negate(String(reversed?.['amount'])))).toBe(0);
    const { body } = await client.get(`/v1/transactions?connectionId=${id}&status=reversed`);
    expect(body['data']).toEqual([reversed]);

    const { accountId, postedDate } = reversed as Row & Readonly<{ accountId: string; postedDate: string }>;
    const sum = after
      .filter((row) => row['accountId'] === accountId && row['postedDate'] === postedDate)
      .reduce((total, { amount }) => add(total, String(amount)), '0');
    const next = new Date(Date.parse(postedDate) + 86_400_000).toISOString().slice(0, 10);
    const path = `/v1/balances?accountId=${accountId}&dateGte=${postedDate}&dateLt=${next}`;
    const [balance] = (await client.get(path)).body['data'] as [Row];
    expect(compare(String(balance['postedTransactionDelta']), sum)).toBe(0);
  });

  test('a restated closing balance reaches who polls by updatedAtGte, and only what changed moves', async () => {
    const before = await client.all(`/v1/balances?connectionId=${id}&limit=500`);
    const watermark = before
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .at(-1) as string;
    const [restated] = await happen(system, id, 'restate-balance');
    await synced(client, id);
    const polled = await client.all(`/v1/balances?connectionId=${id}&limit=500&updatedAtGte=${watermark}`);
    const changed = polled.filter(({ updatedAt }) => updatedAt > watermark);
    expect(
      changed.some((row) => row['date'] === restated?.['date'] && row['ledgerBalance'] === restated?.['amount']),
    ).toBe(true);
    expect(changed.length).toBeLessThan(5);
  });

  test('a bank that is down ends the run and leaves what is there; the next sync goes on', async () => {
    const before = await rows();
    await happen(system, id, 'down', { seconds: 1 });
    await client.send('PUT', `/v1/connections/${id}/sync`);
    expect(await rows()).toEqual(before);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await happen(system, id, 'new-transactions', { count: 2 });
    await synced(client, id);
    await synced(client, id);
    await expectBankRecord(await rows());
  });
});
