import { connectionKeysSchema, postgresDataKeys } from '@causeway/data-keys';
import type { LedgerEvent } from '@causeway/domain/ledger';
import type { EventStore, NewEvent, StreamName } from '@causeway/event-sourcing';
import { eventStoreSettings, openEventStore } from '@causeway/event-stores';
import { negate } from '@causeway/money';
import { openPool, type Pool } from '@causeway/postgres';
import { secretsIn } from '@causeway/settings';
import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clientOf, connected, happen, synced, until, type Client, type Json, type Row } from './client.ts';

const run = promisify(execFile);
const causeway = join(import.meta.dirname, '../../../tools/causeway.mjs');
const reason = 'outflow was read as inflow';
/** Everything that changes what the bank shows of the past. */
const scenarios = [
  ...['new-transactions', 'post-pending', 'cancel-pending', 'restate-transaction', 'withdraw-transaction'],
  ...['reverse-transaction', 'late-posting', 'restate-balance', 'missing-ids', 'reissue-ids'],
];

type Feed = { events: { transaction: Row }[]; nextCursor: string; hasMore: boolean };
type Difference = { id: string; change: string; fields: Record<string, [unknown, unknown]> };
type Outcome = Readonly<{ outcome: string; added: number; changed: number; removed: number }>;

describeWithPostgres('a mapping that read the bank’s pages wrongly, and is corrected', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-e2e-'));
  const dataDir = join(folder, 'var');
  let system: System;
  let client: Client;
  let pool: Pool;
  let store: EventStore;
  let connectionId: string;

  beforeAll(async () => {
    const env = { CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0', CAUSEWAY_REQUESTS_PER_SECOND: '0' };
    system = await startSystem({ dataDir, env });
    client = clientOf(system);
    const read = (file: string) => JSON.parse(readFileSync(join(dataDir, file), 'utf8')) as Record<string, string>;
    pool = openPool({ url: read('runtime.json')['databaseUrl']!, applicationName: 'e2e', connectionsMax: 2 });
    const masterKeys = secretsIn(read('secrets.json'), 'CAUSEWAY_MASTER_KEY');
    const dataKeys = postgresDataKeys({ pool, masterKeys, schema: connectionKeysSchema });
    store = openEventStore(eventStoreSettings({}), { pool, schema: 'ledger_events', dataKeys });
    connectionId = await connected(client, 'sandbox-instant');
  });
  afterAll(async () => {
    await store.close();
    await pool.end();
    await system.stop();
    discardSystem(dataDir);
  });

  const cli = async (...args: readonly string[]): Promise<Outcome> => {
    const env = { ...process.env, CAUSEWAY_DATA_DIR: dataDir, CAUSEWAY_OPERATOR: 'anna' };
    return JSON.parse((await run(process.execPath, [causeway, ...args, '--json'], { env })).stdout) as Outcome;
  };
  const remap = (...args: readonly string[]): Promise<Outcome> =>
    cli('ledger', 'remap', '--connection', connectionId, '--reason', reason, ...args);

  /** The last rows and the last stated day of a page of an account, as a mapping that is no more has read them. */
  const misread = async (accountId: string): Promise<void> => {
    const stream: StreamName = `ledger-${accountId}`;
    const history = await store.readStream<LedgerEvent>(stream);
    const { metadata } = history.findLast(({ type }) => type === 'BalanceReported')!;
    const page = history.filter((event) => event.metadata.place === metadata.place);
    const events: NewEvent<LedgerEvent>[] = [];
    for (const { type, data } of page.filter((event) => event.type === 'TransactionRecorded').slice(-5)) {
      if (type !== 'TransactionRecorded' || data.status !== 'posted') continue;
      const { transactionId, bankId, day, valueDate, typeCode } = data;
      const { postedDate, amount } = data.content;
      const seen = { transactionId, bankId, day, valueDate, typeCode, status: data.status };
      const content = { ...data.content, amount: negate(amount), merchantName: 'Nobody' };
      const previous = { status: 'posted', postedDate, amount } as const;
      events.push({ type: 'TransactionRestated', data: { ...seen, content, previous }, id: randomUUID() });
    }
    const stated = page.flatMap(({ type, data }) => (type === 'BalanceReported' ? [data] : [])).at(-1)!;
    events.push({ type: 'BalanceReported', data: { ...stated, amount: '1.00' }, id: randomUUID() });
    const { revision: expected } = history.at(-1)!;
    await store.append({ stream, expected, events, metadata, dataKey: connectionId });
    await until('what was misread is shown', async () =>
      (await balances()).some((row) => row['ledgerBalance'] === '1.00'),
    );
  };

  const transactions = (): Promise<Row[]> => client.all('/v1/transactions?limit=500');
  const balances = async (query = ''): Promise<Row[]> =>
    (await client.all(`/v1/balances?limit=500${query}`)).map((row) => ({
      ...row,
      id: `${String(row['accountId'])}/${String(row['date'])}`,
    }));
  const all = async (): Promise<readonly Row[]> => [...(await transactions()), ...(await balances())];
  const withoutTime = (rows: readonly Row[]): ReadonlyMap<string, Json> =>
    new Map(rows.map(({ updatedAt: _time, ...row }) => [row.id, row]));
  /** Row by row and field by field, as a client finds them. */
  const between = (before: readonly Row[], after: readonly Row[]): readonly Difference[] => {
    const now = withoutTime(after);
    return [...withoutTime(before)].flatMap(([id, was]) => {
      const is = now.get(id)!;
      const names = Object.keys(was).filter((name) => was[name] !== is[name]);
      if (names.length === 0) return [];
      return [
        { id, change: 'changed', fields: Object.fromEntries(names.map((name) => [name, [was[name], is[name]]])) },
      ];
    });
  };
  const feed = async (from: string): Promise<readonly string[]> => {
    const page = (await client.get(`/v1/transactions/sync?limit=500&cursor=${encodeURIComponent(from)}`)).body;
    const { events, hasMore } = page as unknown as Feed;
    expect(hasMore).toBe(false);
    return events.map(({ transaction }) => transaction.id);
  };
  const byId = (a: Difference, b: Difference): number => (a.id < b.id ? -1 : 1);

  test('the dry run shows exactly the rows, and a polling client gets them by both feeds', async () => {
    const right = await all();
    await misread(String(right[0]!['accountId']));
    const wrong = await all();
    const expected = between(wrong, right).toSorted(byId);
    const ids = expected.map(({ id }) => id);
    expect(ids.filter((id) => !id.includes('/'))).toHaveLength(5);
    const cursor = String((await client.get('/v1/transactions/sync')).body['nextCursor']);
    const watermark = wrong
      .map(({ updatedAt }) => updatedAt)
      .toSorted()
      .at(-1)!;
    const known = new Set((await balances(`&updatedAtGte=${watermark}`)).map(({ id }) => id));

    const diff = join(folder, 'diff.jsonl');
    const counts = { name: 'ledger', added: 0, changed: expected.length, removed: 0 };
    expect(await remap('--dry-run', '--diff', diff)).toMatchObject({ ...counts, outcome: 'discarded' });
    const lines = readFileSync(diff, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as Difference).toSorted(byId)).toEqual(expected);
    expect(await all()).toEqual(wrong);

    expect(await remap('--yes')).toMatchObject({ ...counts, outcome: 'switched' });
    expect(withoutTime(await all())).toEqual(withoutTime(right));
    expect((await feed(cursor)).toSorted()).toEqual(ids.filter((id) => !id.includes('/')));
    const days = (await balances(`&updatedAtGte=${watermark}`)).filter(
      ({ id, updatedAt }) => !known.has(id) || updatedAt > watermark,
    );
    expect(days.map(({ id }) => id).toSorted()).toEqual(ids.filter((id) => id.includes('/')));
    expect(await remap('--yes')).toMatchObject({ ...counts, changed: 0 });
    for (const name of ['transactions', 'balances'])
      expect(await cli('projections', 'verify', name)).toMatchObject({ outcome: 'equal' });
  });

  test('nothing is found where nothing was read wrongly, whatever the bank did to its past', async () => {
    for (const scenario of scenarios) {
      await happen(system, connectionId, scenario);
      await synced(client, connectionId);
    }
    const nothing = { name: 'ledger', added: 0, changed: 0, removed: 0 };
    expect(await remap('--dry-run')).toMatchObject({ ...nothing, outcome: 'discarded' });
    const before = await all();
    expect(await remap('--yes')).toMatchObject({ ...nothing, outcome: 'switched' });
    expect(await all()).toEqual(before);
  });

  test('days that do not add up are listed, and status 1 says so', async () => {
    const other = String((await client.send('POST', '/v1/entities', { externalEntityId: 'other' })).body['entityId']);
    const id = await connected(client, 'sandbox-instant', other);
    expect(await cli('ledger', 'check', '--connection', id)).toEqual([]);
    const [restated] = await happen(system, id, 'restate-balance');
    await synced(client, id);
    const { code, stdout } = (await cli('ledger', 'check', '--connection', id).catch((fault: unknown) => fault)) as {
      code: number;
      stdout: string;
    };
    expect(code).toBe(1);
    const [first] = JSON.parse(stdout) as Json[];
    expect(first).toMatchObject({ date: restated!['date'], reported: restated!['amount'] });
    expect(await cli('ledger', 'check', '--account', connectionId)).toEqual([]);
  });

  test('a connection that was deleted is none', async () => {
    await client.send('DELETE', `/v1/connections/${connectionId}`);
    await expect(remap('--dry-run')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`there is no connection ${connectionId}`) as string,
    });
  });
});
