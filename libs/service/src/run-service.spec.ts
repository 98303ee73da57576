import { eventually } from '@causeway/messaging/testing';
import { programOf, type Program } from '@causeway/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

let program: Program;
/** Nobody listens on these ports. */
const away = {
  CAUSEWAY_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  CAUSEWAY_KAFKA_BROKERS: '127.0.0.1:2',
  CAUSEWAY_MASTER_KEY: '07'.repeat(32),
  CAUSEWAY_BUS_SECRET: '05'.repeat(32),
};

type Line = Readonly<{ msg: string; healthPort?: number }>;

const start = (env: Record<string, string>) => {
  const child = spawn(process.execPath, [program.path], { env: { PATH: process.env['PATH'], ...env } });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
  const ended = once(child, 'close') as Promise<[number | null]>;
  const lines = (): readonly Line[] =>
    said.out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
  return { child, said, ended, lines };
};

describe('the process of a service', () => {
  beforeAll(async () => {
    program = await programOf(join(import.meta.dirname, 'testing', 'small-process.ts'));
  });
  afterAll(() => program.remove());

  test.each([
    [{ CAUSEWAY_DATABASE_URL: '' }, 'small: CAUSEWAY_DATABASE_URL must be set\n'],
    [
      { CAUSEWAY_MASTER_KEY: 'secret' },
      'small: CAUSEWAY_MASTER_KEY 1 must be 32 bytes, written as 64 hex digits or in base64: openssl rand -hex 32\n',
    ],
    [{ CAUSEWAY_KAFKA_BROKERS: 'one' }, 'small: CAUSEWAY_KAFKA_BROKERS must be host:port, with commas between\n'],
    [{ CAUSEWAY_HEALTH_PORT: 'x' }, 'small: CAUSEWAY_HEALTH_PORT must be a whole number from 0 to 65535\n'],
  ])('ends at once when a setting is wrong, with a line that names it: %j', async (wrong, line) => {
    const { ended, said } = start({ ...away, ...wrong });
    expect(await ended).toEqual([1, null]);
    expect(said).toEqual({ out: '', err: line });
  });

  test('waits for a database and a broker that are away, alive and not ready, and stops when told to', async () => {
    const { child, ended, lines } = start(away);
    await eventually(() => expect(lines().map(({ msg }) => msg)).toContain('the database is away: waiting for it'));
    const base = `http://127.0.0.1:${lines()[0]?.healthPort}`;
    expect((await fetch(`${base}/healthz`)).status).toBe(200);
    const ready = await fetch(`${base}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { ready: false, database: false, bus: false, stopping: false },
    ]);
    expect(await (await fetch(`${base}/metrics`)).text()).toContain('causeway_figures_up{service="small"} 0');
    child.kill('SIGTERM');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    // The last lines of a process that ends are flushed past those that are being written.
    expect(lines().map(({ msg }) => msg)).toContain('stopped');
  });
});
