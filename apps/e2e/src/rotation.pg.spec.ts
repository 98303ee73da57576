import { beginSystem, describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clientOf, connected, synced, until, type Answer, type Json } from './client.ts';

const [first, second] = ['0a', '0b'].map((of) => of.repeat(32)) as [string, string];
const run = promisify(execFile);

/** Linux tells them. */
const secretsOf = (pid: number): readonly string[] =>
  readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .flatMap((line) => /^(CAUSEWAY_\w+_(KEYS?|SECRET))=/.exec(line)?.[1] ?? [])
    .sort();

const bus = 'CAUSEWAY_BUS_SECRET';
const used: Readonly<Record<string, readonly string[]>> = {
  gateway: ['CAUSEWAY_API_KEY_SECRET', bus, 'CAUSEWAY_CURSOR_SECRET', 'CAUSEWAY_TOKEN_KEYS'],
  connections: [bus, 'CAUSEWAY_MASTER_KEY', 'CAUSEWAY_RESERVATION_SECRET', 'CAUSEWAY_SEALING_KEYS'],
  ledger: [bus, 'CAUSEWAY_MASTER_KEY', 'CAUSEWAY_RECEIPT_KEYS'],
  transfers: [bus, 'CAUSEWAY_MASTER_KEY'],
  webhooks: [bus, 'CAUSEWAY_MASTER_KEY'],
  // What this one was started with; those that it has made itself are in no environment.
  standalone: ['CAUSEWAY_MASTER_KEY'],
};

describeWithPostgres('secrets that are rotated', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  const keptFile = join(dataDir, 'secrets.json');
  const heard: string[] = [];
  const receiver = createServer((request, response) => {
    heard.push(String(request.headers['service-signature']));
    request.resume().on('end', () => response.end());
  });
  let system: System;
  let connectionId: string;
  let order: object;

  const env = (masterKeys: string, others: Record<string, string> = {}): Record<string, string> => ({
    CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0',
    CAUSEWAY_WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    CAUSEWAY_MASTER_KEY: masterKeys,
    ...others,
  });
  const causeway = async (told: Record<string, string>, ...words: string[]): Promise<Json[]> => {
    const { stdout } = await run(process.execPath, ['tools/causeway.mjs', ...words, '--json'], {
      env: { ...process.env, ...told, CAUSEWAY_DATA_DIR: dataDir },
    });
    return JSON.parse(stdout) as Json[];
  };
  /** Once lost, they are not made anew over the data that the old ones made. */
  const withoutKeptOnes = async (): Promise<void> => {
    renameSync(keptFile, `${keptFile}.lost`);
    const { ready } = beginSystem({ dataDir, env: env(first) });
    await expect(ready).rejects.toThrow('CAUSEWAY_API_KEY_SECRET must be set: the data was made with the id 1');
    expect(existsSync(keptFile)).toBe(false);
    renameSync(`${keptFile}.lost`, keptFile);
  };
  const pay = (): Promise<Answer> =>
    clientOf(system).send('POST', '/v1/transfers', order, { 'idempotency-key': 'rent of May' });
  const entity = (): Promise<Answer> => clientOf(system).send('POST', '/v1/entities', { externalEntityId: 'e-1' });

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    system = await startSystem({ dataDir, env: env(first) });
    const client = clientOf(system);
    connectionId = await connected(client, 'sandbox-instant');
    const accounts = await client.all(`/v1/accounts?connectionId=${connectionId}&currency=USD`);
    const of = (type: string) => accounts.find((account) => account['type'] === type)?.id;
    order = {
      type: 'internal',
      amount: { currency: 'USD', type: 'money', value: '5.00' },
      sourceAccountId: of('checking'),
      destination: { type: 'account', accountId: of('savings') },
    };
  });
  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
    receiver.close();
  });

  (existsSync('/proc/self/environ') ? test : test.skip)('are where they are used, and nowhere else', () => {
    for (const [name, pid] of Object.entries(system.processes)) {
      expect([name, secretsOf(pid)]).toEqual([name, used[name] ?? []]);
    }
    const kept = readFileSync(keptFile, 'utf8');
    expect(kept).not.toContain('CAUSEWAY_MASTER_KEY');
    expect(readFileSync(join(dataDir, 'runtime.json'), 'utf8')).not.toContain(first);
  });

  test('under load: what was made before is found after, and nobody needs the old master key any more', async () => {
    const { testKey } = system;
    const page = (await clientOf(system).get('/v1/transactions?limit=10')).body as { pagination: Json };
    const cursor = encodeURIComponent(String(page.pagination['nextCursor']));
    const transfer = await pay();
    expect([transfer.status, (await entity()).status]).toEqual([202, 201]);
    const url = `http://${env('')['CAUSEWAY_WEBHOOK_ALLOWED_HOSTS']}/x`;
    const hook = (await clientOf(system).send('POST', '/v1/webhooks', { url, events: ['test'] })).body;
    const webhookId = String((hook['webhook'] as Json)['id']);
    await system.stop();

    const kept = JSON.parse(readFileSync(keptFile, 'utf8')) as Record<string, string>;
    await withoutKeptOnes();
    const rotated = (name: string) => ({ [name]: `2:${second},1:${kept[name]}` });
    const others = { ...rotated('CAUSEWAY_API_KEY_SECRET'), ...rotated('CAUSEWAY_CURSOR_SECRET') };
    const both = env(`2:${second},1:${first}`, others);
    system = await startSystem({ dataDir, env: both });
    expect(system.testKey).toBe(testKey);
    const client = clientOf(system);
    expect((await client.get(`/v1/transactions?limit=10&cursor=${cursor}`)).status).toBe(200);

    let isOver = false;
    const load = (async () => {
      for (; !isOver;) {
        await synced(client, connectionId);
        expect((await client.get('/v1/transactions?limit=10')).status).toBe(200);
      }
    })();
    expect(await causeway(both, 'data-keys', 'list')).toEqual([{ id: '1', dataKeys: 2 }]);
    expect(await causeway(both, 'data-keys', 'rewrap')).toEqual([{ id: '2', dataKeys: 2 }]);
    isOver = true;
    await load;
    const before = await client.all('/v1/transactions?limit=500');
    await system.stop();

    system = await startSystem({ dataDir, env: env(`2:${second}`, others) });
    expect(await clientOf(system).all('/v1/transactions?limit=500')).toEqual(before);
    await synced(clientOf(system), connectionId);
    const again = await pay();
    expect([again.body['id'], again.headers.get('idempotent-replayed')]).toEqual([transfer.body['id'], 'true']);
    expect((await entity()).status).toBe(409);
    expect((await clientOf(system).send('POST', `/v1/webhooks/${webhookId}/test`)).status).toBe(202);
    await until('the receiver hears of it', async () => heard.length > 0);
    const projections = await causeway(env(`2:${second}`), 'projections', 'list');
    expect(projections.flatMap(({ parked }) => parked)).toEqual([]);
  });

  test('no data key is wrapped under a master key that nothing has started with', async () => {
    const said = 'nothing has started with CAUSEWAY_MASTER_KEY 3 yet';
    const rewrap = causeway(env(`3:${first},2:${second}`), 'data-keys', 'rewrap');
    await expect(rewrap).rejects.toThrow(said);
  });
});
