/** `node tools/run.mjs bench|chaos …`: runs a tool of the project with what it starts built. */
import { buildIfStale, run } from './fresh-build.mjs';

const app = process.argv.splice(2, 1)[0];
const services = ['gateway', 'connections', 'ledger', 'transfers', 'webhooks'];
const launched = process.argv.some((told) => ['--distributed', '--replicas'].includes(told))
  ? ['distributed', ...services]
  : ['standalone'];
buildIfStale(app, ...launched, 'sandbox-bank', 'cli');
await run(app);
