/** `npm start`: everything in one process, the database and the sandbox bank beside it. */
import { buildIfStale, endOnSignal, run } from './fresh-build.mjs';

endOnSignal();
buildIfStale('standalone', 'sandbox-bank');
await run('standalone');
