/** `npm run start:distributed`: the five services as processes of their own, with all that they need beside them. */
import { buildIfStale, endOnSignal, run } from './fresh-build.mjs';
import { services } from './services.mjs';

endOnSignal();
buildIfStale('distributed', ...services, 'sandbox-bank');
await run('distributed');
