/**
 * `node tools/start-once.mjs 24`: starts the whole system once under another Node, which npm's `node` package brings,
 * waits until it is ready, reads once through the gateway, and stops it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'causeway-node-'));
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

try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "allowScripts": { "node": true } }');
  execFileSync('npm', ['install', '--prefix', folder, `node@${process.argv[2]}`], { stdio: ['ignore', 2, 2] });
  const node = join(folder, 'node_modules', 'node', 'bin', 'node');
  const dataDir = join(folder, 'var');
  const env = { ...process.env, CAUSEWAY_DATA_DIR: dataDir, CAUSEWAY_PORT: '0', CAUSEWAY_SANDBOX_BANK_PORT: '0' };
  const child = spawn(node, [join(root, 'tools', 'start.mjs')], { cwd: root, env, stdio: ['ignore', 'ignore', 2] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const dev = await untilReady(join(dataDir, 'dev.json'), child);
  const answer = await fetch(`${dev.baseUrl}/v1/institutions`, { headers: { authorization: `Bearer ${dev.testKey}` } });
  child.kill('SIGTERM');
  const status = await Promise.race([exited, sleep(stopTimeoutMs, 'still running')]);
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  console.log(`Node ${version}: institutions answered ${answer.status}, exit status ${status}`);
  process.exitCode = answer.status === 200 && status === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
