import { services } from '@causeway/settings';
import { describeWithOwnKafka, discardSystem, startSystem, type System } from '@causeway/testing';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { clientOf, connected, linesOf, synced, truthOf, until, type Json } from './client.ts';

const run = promisify(execFile);
const rotated = ['CAUSEWAY_MASTER_KEY', 'CAUSEWAY_BUS_SECRET', 'CAUSEWAY_API_KEY_SECRET', 'CAUSEWAY_CURSOR_SECRET'];
/** What a client meets while the one gateway is started again, or waits for a service that is: it comes again. */
const comesAgain = [503, 504];

describeWithOwnKafka('secrets that are rotated one process after the other', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  const keptFile = join(dataDir, 'secrets.json');
  let system: System;

  beforeAll(async () => {
    const env = { CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0', CAUSEWAY_REQUESTS_PER_SECOND: '0' };
    system = await startSystem({ dataDir, env, distributed: true });
  });
  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  const kept = (): Record<string, string> => JSON.parse(readFileSync(keptFile, 'utf8')) as Record<string, string>;
  const pidOf = (service: string): number =>
    (JSON.parse(readFileSync(join(dataDir, 'dev.json'), 'utf8')) as System).processes[service] ?? 0;
  const isReady = (): Promise<boolean> =>
    fetch(`${system.baseUrl}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  /** Each service is ended, and started again with the secrets as they are then, before the next one is. */
  const roll = async (texts: Record<string, string>): Promise<void> => {
    writeFileSync(keptFile, JSON.stringify({ ...kept(), ...texts }), { mode: 0o600 });
    for (const service of services) {
      const before = pidOf(service);
      process.kill(before, 'SIGTERM');
      await until(`${service} runs again`, async () => pidOf(service) !== before && (await isReady()));
    }
  };
  const causeway = async (...words: string[]): Promise<Json[]> => {
    const env = { ...process.env, CAUSEWAY_DATA_DIR: dataDir, CAUSEWAY_MASTER_KEY: kept()['CAUSEWAY_MASTER_KEY'] };
    return JSON.parse(
      (await run(process.execPath, ['tools/causeway.mjs', ...words, '--json'], { env })).stdout,
    ) as Json[];
  };

  test('under load: no request fails, no message is refused, and what an old one made is found', async () => {
    const client = clientOf(system);
    const connectionId = await connected(client, 'sandbox-instant');
    const accounts = await client.all(`/v1/accounts?connectionId=${connectionId}&currency=USD`);
    const accountId = (type: string) => accounts.find((account) => account['type'] === type)?.id;
    const order = (clientReference: string) => ({
      ...{ type: 'internal', clientReference, amount: { type: 'money', currency: 'USD', value: '0.01' } },
      ...{ sourceAccountId: accountId('checking'), destination: { type: 'account', accountId: accountId('savings') } },
    });
    const page = (await client.get('/v1/transactions?limit=10')).body as { pagination: Json };
    const nextPage = `/v1/transactions?limit=10&cursor=${encodeURIComponent(String(page.pagination['nextCursor']))}`;

    const refused: string[] = [];
    let [isOver, syncs, paid] = [false, 0, 0];
    const tell = async (what: string, status: number, asked: () => Promise<{ status: number }>): Promise<boolean> => {
      const answer = await asked().catch(() => undefined);
      const isWell = answer?.status === status;
      if (!isWell && answer !== undefined && !comesAgain.includes(answer.status))
        refused.push(`${what}: ${answer.status}`);
      if (!isWell) await sleep(50);
      return isWell;
    };
    const load = (async () => {
      for (let number = 0; !isOver; number++) {
        await tell('a page', 200, () => client.get(nextPage));
        const isSyncing = (await client.get(`/v1/connections/${connectionId}`).catch(() => undefined))?.body[
          'syncStatus'
        ];
        if (isSyncing === 'idle')
          syncs += Number(await tell('a sync', 202, () => client.send('PUT', `/v1/connections/${connectionId}/sync`)));
        const key = { 'idempotency-key': `key ${number}` };
        // An answer that was lost is asked for again: the key finds the first.
        for (let isPaid = false; !isPaid && !isOver; paid += Number(isPaid))
          isPaid = await tell('a payment', 202, () =>
            client.send('POST', '/v1/transfers', order(`ref ${number}`), key),
          );
      }
    })();

    const first = kept();
    const second = Object.fromEntries(rotated.map((name, i) => [name, `new:${`${i}c`.repeat(32)}`]));
    const ringsOf = (of: (name: string) => string[]) =>
      Object.fromEntries(rotated.map((name) => [name, of(name).join()]));
    await roll(ringsOf((name) => [first[name]!, second[name]!]));
    await roll(ringsOf((name) => [second[name]!, `1:${first[name]}`]));
    expect(await causeway('data-keys', 'rewrap')).toEqual([{ id: 'new', dataKeys: 1 }]);
    await roll({
      CAUSEWAY_MASTER_KEY: second['CAUSEWAY_MASTER_KEY']!,
      CAUSEWAY_BUS_SECRET: second['CAUSEWAY_BUS_SECRET']!,
    });
    isOver = true;
    await load;

    expect(refused).toEqual([]);
    expect(Math.min(syncs, paid)).toBeGreaterThan(0);
    expect(await causeway('dead-letters', 'list')).toEqual([]);
    const transfers = async () => client.all('/v1/transfers?limit=100');
    await until('all are paid', async () => (await transfers()).every(({ status }) => status === 'completed'));
    const references = (await transfers()).map((transfer) => transfer['clientReference']);
    expect(new Set(references).size).toBe(references.length);
    await until('the mirror is as the bank is', async () => {
      await synced(client, connectionId);
      const { transactions } = await truthOf(system, connectionId);
      return linesOf(await client.all('/v1/transactions?limit=500')).join() === linesOf(transactions).join();
    });
  }, 300_000);
});
