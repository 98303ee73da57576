import {
  beginSystem,
  describeWithPostgres,
  discardSystem,
  programOf,
  startSystem,
  testDatabase,
  testSecrets,
} from '@causeway/testing';
import type { TestDatabase } from '@causeway/testing';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rowsOf } from './rows.ts';

const key = (of: string): string => of.repeat(32);
const secrets = ['CAUSEWAY_MASTER_KEY', 'CAUSEWAY_API_KEY_SECRET', 'CAUSEWAY_CURSOR_SECRET', 'CAUSEWAY_BUS_SECRET'];
const reservation = 'CAUSEWAY_RESERVATION_SECRET';

describeWithPostgres('a system on a database that is given', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  let database: TestDatabase;
  const given = (): Record<string, string> => ({ CAUSEWAY_DATABASE_URL: database.url });

  beforeAll(async () => {
    database = await testDatabase();
    const system = await startSystem({ dataDir, env: given() });
    const headers = { authorization: `Bearer ${system.testKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ institutionId: 'sandbox-instant' });
    const answer = await fetch(`${system.baseUrl}/v1/connections`, { method: 'POST', headers, body });
    expect(answer.status).toBe(201);
    expect(await system.stop()).toBe(0);
  });
  afterAll(async () => {
    discardSystem(dataDir);
    await database.drop();
  });

  test('keeps nothing that it was given, and makes no demo keys', () => {
    const text = ['dev.json', 'runtime.json'].map((name) => readFileSync(join(dataDir, name), 'utf8')).join('');
    expect(text).not.toMatch(/svc_|0707/);
    const kept = join(dataDir, 'secrets.json');
    expect(existsSync(kept) ? readFileSync(kept, 'utf8') : '').not.toMatch(/CAUSEWAY|0707/);
  });

  const filesOf = (): readonly string[] =>
    [
      'dev.json',
      'runtime.json',
      'secrets.json',
      ...readdirSync(join(dataDir, 'sandbox-bank')).map((name) => `sandbox-bank/${name}`),
    ]
      .map((name) => join(dataDir, name))
      .filter(existsSync)
      .map((path) => `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`);

  const other = key('09');
  const refused: readonly (readonly [string, Record<string, string>])[] = [
    ...[...secrets, reservation].flatMap((name) => [
      [`${name} must be set`, { [name]: '' }] as const,
      [`${name} has another key under the id 1`, { [name]: other }] as const,
    ]),
    ...['CAUSEWAY_RECEIPT_KEYS', 'CAUSEWAY_SEALING_KEYS', 'CAUSEWAY_TOKEN_KEYS'].flatMap((name) => [
      [`${name} must be set`, { [name]: '' }] as const,
      [`${name} must be a JWK set`, { [name]: other }] as const,
    ]),
    ['CAUSEWAY_MASTER_KEY 1 must be 32 bytes', { CAUSEWAY_MASTER_KEY: 'word' }],
    ['CAUSEWAY_CURSOR_SECRET 2026 must be 32 bytes', { CAUSEWAY_CURSOR_SECRET: `2026:${other.slice(1)}` }],
    ['CAUSEWAY_API_KEY_SECRET lists no key that the data was made with', { CAUSEWAY_API_KEY_SECRET: `2:${other}` }],
    ['CAUSEWAY_MASTER_KEY lacks the id 1, which still wraps data keys: 1', { CAUSEWAY_MASTER_KEY: `2:${other}` }],
    [`${reservation} lists no key that the data was made with`, { [reservation]: `2:${other}` }],
    [`${reservation} 2 is one too many`, { [reservation]: `${key('07')},2:${other}` }],
  ];
  test.each(refused)('ends with status 1 and nothing written: %s', async (said, wrong) => {
    const before = [await rowsOf(database.pool), filesOf()];
    const { ready, stop } = beginSystem({ dataDir, env: { ...given(), ...wrong } });
    const ended = await ready.then(
      () => stop().then(() => 'started'),
      ({ message }: Error) => message,
    );
    const [first, ...lines] = ended.trimEnd().split('\n');
    expect(first).toBe('the system ended (1) before it was ready:');
    expect(lines.at(-1)).toMatch(new RegExp(`^${said}`));
    expect(lines.filter((line) => !line.startsWith('built '))).toHaveLength(1);
    expect([await rowsOf(database.pool), filesOf()]).toEqual(before);
  });

  test('a service in a process of its own ends in the same way', async () => {
    const program = await programOf(join('apps', 'ledger', 'src', 'main.ts'));
    const env = { PATH: process.env['PATH'], CAUSEWAY_KAFKA_BROKERS: '127.0.0.1:2', CAUSEWAY_HEALTH_PORT: '0' };
    const before = await rowsOf(database.pool);
    const ledger = promisify(execFile)(process.execPath, [program.path], {
      env: { ...testSecrets, ...env, ...given(), CAUSEWAY_MASTER_KEY: other },
    });
    await expect(ledger).rejects.toMatchObject({
      code: 1,
      stderr: 'ledger: CAUSEWAY_MASTER_KEY has another key under the id 1 than the data was made with\n',
    });
    expect(await rowsOf(database.pool)).toEqual(before);
    program.remove();
  });
});
