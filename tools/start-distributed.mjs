/** `npm run start:distributed`: the five services as processes of their own, with all that they need beside them. */
import { buildIfStale, endOnSignal, run } from './fresh-build.mjs';

endOnSignal();
buildIfStale('distributed', 'gateway', 'connections', 'ledger', 'transfers', 'webhooks', 'sandbox-bank');
await run('distributed');
