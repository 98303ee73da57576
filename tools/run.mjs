/** `node tools/run.mjs bench|chaos|fuzz …`: runs a tool of the project with what it starts built. */
import { spawn, spawnSync } from 'node:child_process';
import { buildIfStale, run } from './fresh-build.mjs';
import { services } from './services.mjs';

const app = process.argv.splice(2, 1)[0];
const launched = process.argv.some((told) => ['--distributed', '--replicas'].includes(told))
  ? ['distributed', ...services]
  : ['standalone'];
buildIfStale(app, ...(app === 'fuzz' ? [] : [...launched, 'sandbox-bank', 'cli']));

/** As the first process of a PID namespace, which reaps none of what killed parents leave to it: most images have such a one. */
const asFirstProcess = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const isFirst = process.pid === 1 || app !== 'chaos' || spawnSync('unshare', [...asFirstProcess, 'true']).status !== 0;
if (isFirst) await run(app);
else {
  const argv = [...asFirstProcess, process.execPath, process.argv[1], app, ...process.argv.slice(2)];
  const child = spawn('unshare', argv, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill('SIGKILL'));
  child.once('exit', (status) => process.exit(status ?? 1));
}
