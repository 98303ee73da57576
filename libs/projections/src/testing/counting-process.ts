import { postgresEventStore } from '@causeway/event-store-postgres';
import { openPool } from '@causeway/postgres';
import { pino } from 'pino';
import { projector } from '../projector.ts';
import { noKeys, schema, tally } from './tally.ts';

/** A replica of the counting service: `node <bundle> <database url> <projection>…`. Says when it runs. */
const [url = '', ...names] = process.argv.slice(2);
const pool = openPool({ url, applicationName: `replica ${process.pid}`, role: 'causeway_counting', connectionsMax: 8 });
const store = postgresEventStore({ pool, schema: `${schema}_events`, dataKeys: noKeys });
const log = pino({ level: 'silent' });
projector({ pool, schema, store, projections: names.map((name) => tally({}, name)), log }).start();
process.stdout.write('running\n');
