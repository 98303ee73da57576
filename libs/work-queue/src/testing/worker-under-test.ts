import { openPool } from '@causeway/postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { startWorkers } from '../workers.ts';

/** A process that says what it begins, and 200 ms later what it does, as far as its claims allow. */
const [url = '', schema = ''] = process.argv.slice(2);
startWorkers({
  pool: openPool({ url, applicationName: 'worker under test' }),
  schema,
  log: pino({ level: 'silent' }),
  workers: [
    {
      kind: 'job',
      slots: 16,
      work: async ({ id, throwIfLost }) => {
        process.send?.(`begun ${id}`);
        await sleep(200);
        throwIfLost();
        process.send?.(`done ${id}`);
        return 'done';
      },
    },
  ],
});
