/**
 * `node tools/start-once.mjs 24`: starts the whole system once under another Node, which npm's `node` package brings,
 * waits until it is ready, reads once through the gateway, and stops it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSystem } from './started-system.mjs';

const folder = mkdtempSync(join(tmpdir(), 'causeway-node-'));

try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "allowScripts": { "node": true } }');
  execFileSync('npm', ['install', '--prefix', folder, `node@${process.argv[2]}`], { stdio: ['ignore', 2, 2] });
  const node = join(folder, 'node_modules', 'node', 'bin', 'node');
  const system = await startSystem({ node, dataDir: join(folder, 'var') });
  const answer = await system.send('GET', '/v1/institutions');
  const status = await system.stop();
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  console.log(`Node ${version}: institutions answered ${answer.status}, exit status ${status}`);
  process.exitCode = answer.status === 200 && status === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
