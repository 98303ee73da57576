/** `node tools/run.mjs bench|chaos …`: runs a tool of the project with what it starts built. */
import { buildIfStale, run } from './fresh-build.mjs';

const app = process.argv.splice(2, 1)[0];
buildIfStale(app, 'standalone', 'sandbox-bank', 'cli');
await run(app);
