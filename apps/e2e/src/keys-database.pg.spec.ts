import {
  beginSystem,
  describeWithPostgres,
  discardSystem,
  startSystem,
  testDatabase,
  type System,
  type TestDatabase,
} from '@causeway/testing';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clientOf, connected, until, type Json } from './client.ts';
import { rowsOf, tablesOf } from './rows.ts';

const run = promisify(execFile);
const masterKey = '07'.repeat(32);

describeWithPostgres('a system whose data keys are in a database of their own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-e2e-'));
  const dataDir = join(folder, 'var');
  let main: TestDatabase;
  let keys: TestDatabase;
  let another: TestDatabase;
  let system: System;
  let connectionId: string;

  const env = (database = main): Record<string, string> => ({
    CAUSEWAY_DATABASE_URL: database.url,
    CAUSEWAY_KEYS_DATABASE_URL: keys.url,
  });
  const causeway = async (...words: string[]): Promise<Json[]> => {
    const { stdout } = await run(process.execPath, ['tools/causeway.mjs', ...words, '--json'], {
      env: { ...process.env, CAUSEWAY_MASTER_KEY: masterKey, CAUSEWAY_DATA_DIR: dataDir },
    });
    return JSON.parse(stdout) as Json[];
  };
  const wrapped = async (schema: string): Promise<readonly (Buffer | null)[]> => {
    const { rows } = await keys.pool.query<{ wrapped: Buffer | null }>(`SELECT wrapped FROM ${schema}.data_key`);
    return rows.map((row) => row.wrapped);
  };

  beforeAll(async () => {
    [main, keys, another] = await Promise.all([testDatabase(), testDatabase(), testDatabase()]);
    system = await startSystem({ dataDir, env: env() });
    connectionId = await connected(clientOf(system), 'sandbox-instant');
    const webhook = { url: 'https://example.com/hook', events: ['test'] };
    expect((await clientOf(system).send('POST', '/v1/webhooks', webhook)).status).toBe(201);
  });
  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
    await Promise.all([main, keys, another].map((database) => database.drop()));
  });

  test('keeps none of them, as it is wrapped, in the database of the events', async () => {
    const found = [...(await wrapped('data_keys')), ...(await wrapped('webhooks_keys'))];
    expect(found).toHaveLength(2);
    const tables = await tablesOf(main.pool);
    expect(tables).toContain('ledger_events.append');
    expect(tables.filter((table) => table.endsWith('.data_key'))).toEqual([]);
    for (const table of tables) {
      const { rows } = await main.pool.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`);
      for (const key of found) expect(rows.filter(({ row }) => row.includes(String(key?.toString('hex'))))).toEqual([]);
    }
  });

  test('is operated with them there', async () => {
    expect(await causeway('data-keys', 'list')).toEqual([{ id: '1', dataKeys: 2 }]);
    expect(await causeway('data-keys', 'rewrap')).toEqual([{ id: '1', dataKeys: 2 }]);
    expect(await causeway('projections', 'verify', 'transactions')).toMatchObject({ outcome: 'equal' });
  });

  test('is not another one’s: status 1, and nothing is written on either side', async () => {
    const [other, before] = [join(folder, 'other'), await rowsOf(keys.pool)];
    const { ready } = beginSystem({ dataDir: other, env: env(another) });
    const ended = await ready.then(
      () => 'started',
      ({ message }: Error) => message,
    );
    const [first, ...lines] = ended.trimEnd().split('\n');
    expect(first).toBe('the system ended (1) before it was ready:');
    expect(lines.filter((line) => !line.startsWith('built '))).toEqual([
      expect.stringMatching(
        /^CAUSEWAY_KEYS_DATABASE_URL belongs to the installation \S+, and CAUSEWAY_DATABASE_URL is new$/,
      ),
    ]);
    expect([await tablesOf(another.pool), await rowsOf(keys.pool)]).toEqual([[], before]);
    expect(existsSync(join(other, 'dev.json'))).toBe(false);
  });

  test('destroys the key there with its connection', async () => {
    expect((await clientOf(system).send('DELETE', `/v1/connections/${connectionId}`)).status).toBe(200);
    await until('the key is destroyed', async () => (await wrapped('data_keys'))[0] === null);
  });
});
