/** `npm run start:distributed`: the five services as processes of their own, with all that they need beside them. */
import { buildIfStale, run } from './fresh-build.mjs';

buildIfStale('distributed', 'gateway', 'connections', 'ledger', 'transfers', 'webhooks', 'sandbox-bank');
await run('distributed');
