/**
 * `npm run schemathesis -- [--minutes N] [--seed S]`: Schemathesis, with all of its checks and stateful, against the
 * document and the whole system of one start: no 5xx, no answer that the document does not tell, no bad input taken.
 * Installs itself into dist/ by Python (3.10 or newer) the first time. Prints the seed; ends with 1 on any failure.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSystem } from './started-system.mjs';

const version = '4.32.5';
const root = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
const seconds = Math.round(Number(values.minutes ?? 2) * 60);
const seed = values.seed ?? String(Math.floor(Math.random() * 1e9));

const must = (command, args) => {
  if (spawnSync(command, args, { stdio: ['ignore', 2, 2] }).status !== 0) throw new Error(`${command} failed`);
};

const installed = () => {
  const folder = join(root, 'dist', `schemathesis-${version}`);
  const program = join(folder, 'bin', 'schemathesis');
  if (existsSync(program)) return program;
  must('python3', ['-m', 'venv', folder]);
  must(join(folder, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${version}`]);
  return program;
};

const program = installed();
const folder = mkdtempSync(join(tmpdir(), 'causeway-schemathesis-'));
// Limits would answer 429 to most of it.
const settings = { CAUSEWAY_REQUESTS_PER_SECOND: '0', CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0' };
const system = await startSystem({ dataDir: join(folder, 'var'), settings });
try {
  // Something to be found.
  await system.send('POST', '/v1/connections', { institutionId: 'sandbox-instant' });
  const args = [
    ...['--config-file', join(import.meta.dirname, 'schemathesis', 'schemathesis.toml')],
    ...['run', `${system.baseUrl}/openapi.json`, '--header', `Authorization: Bearer ${system.testKey}`],
    ...['--checks', 'all', '--max-time', String(seconds), '--seed', seed, '--continue-on-failure'],
    ...['--generation-database', 'none', '--max-examples', '200'],
  ];
  const run = spawn(program, args, { cwd: folder, stdio: ['ignore', 1, 2] });
  process.exitCode = await new Promise((resolve) => run.once('exit', (status) => resolve(status ?? 1)));
} finally {
  await system.stop();
  rmSync(folder, { recursive: true, force: true });
}
