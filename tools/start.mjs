/** `npm start`: everything in one process, the database and the sandbox bank beside it. */
import { buildIfStale, run } from './fresh-build.mjs';

buildIfStale('standalone', 'sandbox-bank');
await run('standalone');
