import { describeWithPostgres, discardSystem, startSystem, systemProcesses, type System } from '@causeway/testing';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, connected, linesOf, truthOf, until } from './client.ts';

describeWithPostgres('the first steps of a newcomer', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  let system: System;
  let connectionId: string;

  beforeAll(async () => {
    system = await startSystem({ dataDir });
  });

  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  test('the file with the keys is for its owner alone and names the processes', () => {
    expect(statSync(join(dataDir, 'dev.json')).mode & 0o777).toBe(0o600);
    expect(Object.keys(system.processes).sort()).toEqual([...systemProcesses].sort());
    expect(system.organization).toBe('demo');
    expect(system.testKey).toMatch(/^svc_test_/);
    expect(system.liveKey).toMatch(/^svc_live_/);
  });

  test('an institution is connected, and its accounts, transactions and balances can be read', async () => {
    const client = clientOf(system);
    connectionId = await connected(client, 'sandbox-instant');
    const accounts = await client.all('/v1/accounts');
    expect(accounts.map(({ type, currency }) => `${String(type)} ${String(currency)}`).sort()).toEqual([
      'checking EUR',
      'checking USD',
      'creditCard USD',
      'moneyMarket USD',
      'savings USD',
    ]);
    const rows = await client.all('/v1/transactions?limit=500');
    const truth = await truthOf(system, connectionId);
    expect(rows.length).toBeGreaterThan(300);
    expect(linesOf(rows)).toEqual(linesOf(truth.transactions));
    expect((await client.all('/v1/balances?limit=500')).length).toBeGreaterThan(90);
  });

  test('a live key sees nothing of it', async () => {
    const live = clientOf({ ...system, testKey: system.liveKey });
    expect(await live.all('/v1/connections')).toEqual([]);
    expect((await live.get(`/v1/connections/${connectionId}`)).status).toBe(404);
    expect(await live.all('/v1/transactions')).toEqual([]);
  });

  test('after a clean stop everything is there again, with the same key and the same times', async () => {
    const before = await clientOf(system).all('/v1/transactions?limit=500');
    expect(await system.stop()).toBe(0);
    const { testKey } = system;
    system = await startSystem({ dataDir });
    expect(system.testKey).toBe(testKey);
    expect(await clientOf(system).all('/v1/transactions?limit=500')).toEqual(before);
  });

  test('after a kill of the one process the next start takes over what was left running', async () => {
    const before = await clientOf(system).all('/v1/transactions?limit=500');
    await system.kill();
    system = await startSystem({ dataDir });
    expect(await clientOf(system).all('/v1/transactions?limit=500')).toEqual(before);
  });

  test('a database that dies alone is started again', async () => {
    const read = () => JSON.parse(readFileSync(join(dataDir, 'dev.json'), 'utf8')) as System;
    const { postgres } = read().processes;
    process.kill(postgres as number, 'SIGKILL');
    await until('another server runs', async () => read().processes['postgres'] !== postgres);
    await until('it answers', async () => (await fetch(`${system.baseUrl}/readyz`)).status === 200);
    expect((await clientOf(system).get('/v1/accounts')).status).toBe(200);
  });
});
