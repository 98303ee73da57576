import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
const readyTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;

const untilReady = async (devFile, child) => {
  const deadline = Date.now() + readyTimeoutMs;
  while (Date.now() < deadline && child.exitCode === null) {
    try {
      const dev = JSON.parse(readFileSync(devFile, 'utf8'));
      if ((await fetch(`${dev.baseUrl}/readyz`)).status === 200) return dev;
    } catch {
      // Not there yet.
    }
    await sleep(100);
  }
  throw new Error('the system did not get ready');
};

/** Starts the whole system on ports of its own under a Node, waits until it is ready, and says how to reach and to stop it. */
export const startSystem = async ({ node = process.execPath, dataDir, settings = {} }) => {
  const address = { CAUSEWAY_DATA_DIR: dataDir, CAUSEWAY_PORT: '0', CAUSEWAY_SANDBOX_BANK_PORT: '0' };
  const env = { ...process.env, ...address, ...settings };
  const child = spawn(node, [join(root, 'tools', 'start.mjs')], { cwd: root, env, stdio: ['ignore', 'ignore', 2] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    return Promise.race([exited, sleep(stopTimeoutMs, 'still running')]);
  };
  const dev = await untilReady(join(dataDir, 'dev.json'), child).catch(async (error) => {
    await stop();
    throw error;
  });
  const send = (method, path, body) =>
    fetch(`${dev.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${dev.testKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  return { ...dev, send, stop };
};
