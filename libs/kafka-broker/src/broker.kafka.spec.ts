import { describeWithOwnKafka } from '@causeway/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBroker } from './broker.ts';
import { NoBroker } from './no-broker.ts';

const root = join(import.meta.dirname, '../../..');

const pidIn = (dataDir: string): number => Number.parseInt(readFileSync(join(dataDir, 'kafka.pid'), 'utf8'), 10);

const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`).length > 0;

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** `npm run kafka`: resolves when its broker serves. */
const runTool = async (dataDir: string): Promise<ChildProcess> => {
  const env = { ...process.env, CAUSEWAY_DATA_DIR: dataDir, CAUSEWAY_KAFKA_PORT: '0', CAUSEWAY_KAFKA_BROKERS: '' };
  const tool = spawn(process.execPath, ['tools/kafka.mjs'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(tool.stdout, 'data');
  return tool;
};

/** Some starts of a JVM, on a machine that may have much else to do. */
const timeoutMs = 180_000;

describeWithOwnKafka('a broker of our own', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'causeway-broker-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  test(
    'ends what a killed process left behind, goes on with a port, and stops at a signal',
    async () => {
      const tool = await runTool(dataDir);
      const left = pidIn(dataDir);
      tool.kill('SIGKILL');
      await once(tool, 'exit');
      expect(isAlive(left)).toBe(true);

      const first = await startBroker({ dataDir });
      expect(isAlive(left)).toBe(false);
      await first.stop();
      const second = await startBroker({ dataDir, port: first.port });
      expect(second.address).toBe(first.address);
      expect(await isListening(second.port)).toBe(true);
      await second.stop();
      expect(await isListening(second.port)).toBe(false);
    },
    timeoutMs,
  );

  test(
    'is not taken from a process that is alive',
    async () => {
      const tool = await runTool(dataDir);
      const running = pidIn(dataDir);
      try {
        const refused = startBroker({ dataDir });
        await expect(refused).rejects.toThrow(NoBroker);
        await expect(refused).rejects.toThrow(`stop process ${tool.pid}, which started it`);
        expect([pidIn(dataDir), isAlive(running)]).toEqual([running, true]);
      } finally {
        tool.kill('SIGTERM');
        await once(tool, 'exit');
      }
      expect(isAlive(running)).toBe(false);
    },
    timeoutMs,
  );
});
