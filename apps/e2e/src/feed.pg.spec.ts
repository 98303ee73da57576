import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  clientOf,
  connected,
  happen,
  linesOf,
  synced,
  truthOf,
  until,
  type Client,
  type Json,
  type Row,
} from './client.ts';

type Feed = { events: { type: string; transaction: Row }[]; nextCursor: string; hasMore: boolean };

const seed = Number(process.env['CAUSEWAY_TEST_SEED'] ?? Date.now() % 1_000_000);
/** A linear congruence is random enough for page sizes and choices. */
let state = seed;
const below = (bound: number): number => {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state % bound;
};

const persistently = async (act: () => Promise<unknown>): Promise<void> => {
  while (
    !(await act().then(
      () => true,
      () => false,
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 200));
};

describeWithPostgres(`the feed, seed ${seed} (CAUSEWAY_TEST_SEED)`, () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  const env = { CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0', CAUSEWAY_REQUESTS_PER_SECOND: '0' };
  let system: System;
  let client: Client;

  beforeAll(async () => {
    system = await startSystem({ dataDir, env });
    client = clientOf(system);
  });

  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  const page = async (cursor: string): Promise<Feed | undefined> => {
    const path = `/v1/transactions/sync?limit=${1 + below(300)}&cursor=${encodeURIComponent(cursor)}`;
    const answer = await client.get(path).catch(() => undefined);
    return answer?.status === 200 ? (answer.body as unknown as Feed) : undefined;
  };

  test('a client that bootstraps as documented ends with the bank’s own record, whatever is written and killed meanwhile', async () => {
    const first = await connected(client, 'sandbox-instant');
    const { body } = await client.send('POST', '/v1/entities', { externalEntityId: 'other' });
    const second = await connected(client, 'sandbox-instant', String(body['entityId']));
    const ids = [first, second];

    const replica = new Map<string, Json>();
    let cursor = String((await client.get('/v1/transactions/sync')).body['nextCursor']);
    let writing = true;
    const scenarios = [
      'new-transactions',
      'post-pending',
      'restate-transaction',
      'withdraw-transaction',
      'reverse-transaction',
      'late-posting',
      'reissue-ids',
    ];
    const writers = ids.map(async (id) => {
      for (let round = 0; round < 8; round++) {
        const scenario = scenarios[below(scenarios.length)] as string;
        // The bank goes with the system that is killed, and may be elsewhere afterwards.
        await persistently(() => happen(system, id, scenario));
        await client.send('PUT', `/v1/connections/${id}/sync`).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, below(300)));
      }
    });
    for (const row of await client.all(`/v1/transactions?limit=${50 + below(200)}`)) replica.set(row.id, row);

    let last = '';
    const drain = async (): Promise<void> => {
      for (let more = true; more;) {
        const got = await page(cursor);
        if (got === undefined) return;
        for (const { type, transaction } of got.events) {
          const key = `${transaction.updatedAt} ${transaction.id}`;
          expect(key > last).toBe(true);
          last = key;
          if (type === 'removed') replica.delete(transaction.id);
          else replica.set(transaction.id, transaction);
        }
        cursor = got.nextCursor;
        more = got.hasMore;
      }
    };
    const reading = (async () => {
      while (writing) await drain();
    })();
    await new Promise((resolve) => setTimeout(resolve, 500 + below(1000)));
    const { baseUrl } = system;
    await system.kill();
    system = await startSystem({ dataDir, env: { ...env, CAUSEWAY_PORT: new URL(baseUrl).port } });
    client = clientOf(system);
    await Promise.all(writers);
    for (const id of ids) await synced(client, id);
    writing = false;
    await reading;
    await drain();

    const listed = await client.all('/v1/transactions?limit=500');
    const sorted = (rows: readonly Json[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(sorted([...replica.values()])).toEqual(sorted(listed));
    for (const id of ids) {
      const ours = listed.filter((row) => row['connectionId'] === id && row['status'] !== 'cancelled');
      expect(linesOf(ours)).toEqual(linesOf((await truthOf(system, id)).transactions));
    }
  });

  test('a cursor of another list, another filter or another hand is no cursor of the feed', async () => {
    const list = await client.get('/v1/transactions?limit=1');
    const { nextCursor } = list.body['pagination'] as { nextCursor: string };
    const feed = String((await client.get('/v1/transactions/sync')).body['nextCursor']);
    const [connection] = await client.all('/v1/connections');
    const paths = [
      `/v1/transactions/sync?cursor=${encodeURIComponent(nextCursor)}`,
      `/v1/transactions/sync?connectionId=${connection?.id ?? ''}&cursor=${encodeURIComponent(feed)}`,
      `/v1/transactions?cursor=${encodeURIComponent(feed)}`,
      `/v1/transactions/sync?cursor=${encodeURIComponent(`${feed.slice(0, -2)}xx`)}`,
    ];
    for (const path of paths) {
      const { status, body } = await client.get(path);
      expect([path, status, body['type']]).toEqual([path, 400, 'invalid_cursor']);
    }
    await until('the connections are idle', async () =>
      (await client.all('/v1/connections')).every((row) => row['syncStatus'] === 'idle'),
    );
  });
});
