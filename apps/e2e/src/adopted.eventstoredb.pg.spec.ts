import {
  beginSystem,
  describeWithPostgres,
  discardSystem,
  startSystem,
  testDatabase,
  type TestDatabase,
} from '@causeway/testing';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clientOf, connected, until, type Client, type Json, type Row } from './client.ts';
import { rowsOf, tablesOf } from './rows.ts';

const run = promisify(execFile);
const serverUrl = process.env['CAUSEWAY_EVENTSTOREDB_URL'];
const describeWithServer = serverUrl === undefined ? describe.skip : describeWithPostgres;

/** Once its own is gone. */
const connectionOfNow = async (client: Client, before?: string): Promise<string> => {
  let found: Row[] = [];
  const isThere = async (): Promise<boolean> => {
    found = await client.all('/v1/connections');
    return found.length === 1 && found[0]?.id !== before;
  };
  await until('there is one', isThere);
  return String(found[0]?.id);
};
const secrets = ['API_KEY_SECRET', 'CURSOR_SECRET', 'BUS_SECRET', 'RESERVATION_SECRET', 'MASTER_KEY'];

describeWithServer('an EventStoreDB that belongs to another installation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-e2e-'));
  const namespace = randomUUID().slice(0, 13);
  const databases: Record<string, TestDatabase> = {};
  let first: string;
  const of = (name: string) => databases[name] as TestDatabase;

  const options = (name: string) => ({
    dataDir: join(folder, name),
    env: {
      CAUSEWAY_DATABASE_URL: of(name).url,
      CAUSEWAY_EVENT_STORE: 'eventstoredb',
      CAUSEWAY_EVENTSTOREDB_URL: serverUrl ?? '',
      CAUSEWAY_EVENTSTOREDB_NAMESPACE: namespace,
    },
  });
  const adopt = async (name: string): Promise<Json> => {
    const { dataDir, env } = options(name);
    const given = Object.fromEntries(secrets.map((secret) => [`CAUSEWAY_${secret}`, '07'.repeat(32)]));
    const { stdout } = await run(process.execPath, ['tools/causeway.mjs', 'event-store', 'adopt', '--yes', '--json'], {
      env: { ...process.env, ...given, ...env, CAUSEWAY_DATA_DIR: dataDir },
    });
    return JSON.parse(stdout) as Json;
  };
  const refusal = async (name: string): Promise<string | undefined> => {
    const ended = await beginSystem(options(name)).ready.then(
      () => 'started',
      ({ message }: Error) => message,
    );
    expect(ended).toContain('the system ended (1) before it was ready');
    return ended.trimEnd().split('\n').at(-1);
  };

  beforeAll(async () => {
    for (const name of ['former', 'new', 'own']) databases[name] = await testDatabase();
    const system = await startSystem(options('former'));
    first = await connected(clientOf(system), 'sandbox-instant');
    expect(await system.stop()).toBe(0);
  });
  afterAll(async () => {
    for (const name of Object.keys(databases)) discardSystem(join(folder, name));
    await Promise.all(Object.values(databases).map((database) => database.drop()));
  });

  test('is refused to a new one, and nothing is written', async () => {
    expect(await refusal('new')).toMatch(
      /^CAUSEWAY_EVENTSTOREDB_URL with the namespace \S+ belongs to the installation \S+, and CAUSEWAY_DATABASE_URL is new; causeway event-store adopt takes it over$/,
    );
    expect(await tablesOf(of('new').pool)).toEqual([]);
    const system = await startSystem(options('former'));
    expect(await system.stop()).toBe(0);
  });

  test('is not adopted by one with events of its own', async () => {
    const { dataDir, env } = options('own');
    const elsewhere = { ...env, CAUSEWAY_EVENTSTOREDB_NAMESPACE: `${namespace}-own` };
    const system = await startSystem({ dataDir, env: elsewhere });
    expect(await clientOf(system).all('/v1/connections')).toEqual([]);
    await system.stop();
    const before = await rowsOf(of('own').pool);
    await expect(adopt('own')).rejects.toThrow('CAUSEWAY_DATABASE_URL has events of its own');
    expect(await refusal('own')).toContain('belongs to the installation');
    expect(await rowsOf(of('own').pool)).toEqual(before);
  });

  test('once adopted is at work with what can be read, and the former one is refused', async () => {
    expect(await adopt('new')).toMatchObject({ outcome: 'adopted', lostDataKeys: 1 });
    expect(await adopt('new')).toMatchObject({ outcome: 'ours' });
    const system = await startSystem(options('new'));
    const client = clientOf(system);
    const lost = await connectionOfNow(client);
    expect(await client.all('/v1/transactions')).toEqual([]);
    const ready = (await fetch(`${system.baseUrl}/readyz`)).json() as Promise<Json>;
    expect(await ready).not.toMatchObject({ degraded: true });
    expect((await client.send('DELETE', `/v1/connections/${lost}`)).status).toBe(200);
    await connected(client, 'sandbox-instant');
    await until('what is new can be read', async () => (await client.all('/v1/transactions?limit=500')).length > 0);
    expect(await system.stop()).toBe(0);
    expect(await refusal('former')).toContain('belongs to the installation');
  });

  test('can be taken back by the one that had it', async () => {
    expect(await adopt('former')).toMatchObject({ outcome: 'adopted', lostDataKeys: 1 });
    const system = await startSystem(options('former'));
    const client = clientOf(system);
    expect((await client.send('DELETE', `/v1/connections/${await connectionOfNow(client, first)}`)).status).toBe(200);
    await connected(client, 'sandbox-instant');
    expect(await system.stop()).toBe(0);
    expect(await refusal('new')).toContain('belongs to the installation');
  });
});
