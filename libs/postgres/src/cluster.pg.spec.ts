import { describeWithPostgres, programOf, type Program } from '@causeway/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster, type Cluster } from './cluster.ts';
import { openPool } from './pool.ts';

const stateOf = (pid: number): string => {
  try {
    return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
};

const until = async (isSo: () => boolean): Promise<void> => {
  for (const deadline = Date.now() + 20_000; !isSo(); await sleep(20)) {
    if (Date.now() > deadline) throw new Error('not within 20 s');
  }
};

describeWithPostgres('a server of our own', () => {
  let program: Program;
  let dataDir: string;
  const started: ChildProcess[] = [];

  beforeAll(async () => {
    program = await programOf(join(import.meta.dirname, 'testing', 'cluster-process.ts'));
    dataDir = mkdtempSync(join(tmpdir(), 'causeway-cluster-'));
  });
  afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')));
  afterAll(() => {
    program.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** A process that has a server; both are left to themselves. */
  const starter = async (end = ''): Promise<Readonly<{ child: ChildProcess; pid: number; url: string }>> => {
    const child = spawn(process.execPath, [program.path, dataDir, end], { stdio: ['ignore', 'pipe', 'inherit'] });
    started.push(child);
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    return { child, ...(JSON.parse(line) as { pid: number; url: string }) };
  };
  const works = async ({ url }: Pick<Cluster, 'url'>): Promise<void> => {
    const pool = openPool({ url, applicationName: 'spec', connectionsMax: 1 });
    await pool.query('SELECT 1');
    await pool.end();
  };

  test('starts on the folder of one that was killed and that its parent has not reaped', async () => {
    const { child, pid } = await starter();
    child.kill('SIGSTOP');
    process.kill(pid, 'SIGKILL');
    await until(() => stateOf(pid) === 'Z');
    const next = await startCluster({ dataDir });
    expect(stateOf(pid)).toBe('Z');
    await works(next);
    await next.stop();
  });

  test('starts where sessions outlive their server, and where the number of its lock is another program’s', async () => {
    const { pid, url } = await starter();
    const pool = openPool({ url, applicationName: 'spec', connectionsMax: 1 });
    const busy = pool.query('SELECT sum(sqrt(n)) FROM generate_series(1, 1000000000) AS n').catch(() => undefined);
    await sleep(300);
    process.kill(pid, 'SIGKILL');
    await until(() => stateOf(pid) === '');
    const other = spawn('sleep', ['1000'], { stdio: 'ignore' });
    started.push(other);
    const lock = join(dataDir, 'postgres', 'postmaster.pid');
    writeFileSync(lock, readFileSync(lock, 'utf8').replace(/^\d+/, String(other.pid)));
    const next = await startCluster({ dataDir });
    await works(next);
    await next.stop();
    expect(stateOf(other.pid as number)).toBe('S');
    await busy;
    await pool.end();
  });

  test('is stopped first where a killed process left it behind', async () => {
    const { child, pid } = await starter();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(stateOf(pid)).toMatch(/[SRD]/);
    const next = await startCluster({ dataDir });
    expect(stateOf(pid)).toMatch(/^Z?$/);
    await works(next);
    await next.stop();
  });

  test.each(['exit', 'throw'])('ends with a process that ends without stopping it: %s', async (end) => {
    const { child, pid } = await starter(end);
    const [status] = (await once(child, 'exit')) as [number];
    expect(status).toBe(1);
    await until(() => stateOf(pid) === '' || stateOf(pid) === 'Z');
  });

  test('that does not get there ends with the wish for it', async () => {
    const stopping = new AbortController();
    const starting = startCluster({ dataDir, signal: stopping.signal, settings: { listen_addresses: '127.0.0.2' } });
    const outcome = expect(starting).rejects.toThrow('stop');
    await sleep(500);
    stopping.abort(new Error('stop'));
    await outcome;
    await works(await starter());
  });
});
