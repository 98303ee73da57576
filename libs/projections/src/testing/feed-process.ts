import { postgresEventStore } from '@causeway/event-store-postgres';
import { openPool } from '@causeway/postgres';
import { pino } from 'pino';
import { projector } from '../projector.ts';
import { feed } from './feed.ts';
import { noKeys, schema } from './tally.ts';

/** Keeps the feed: `node <bundle> <database url> <version> <weight of names with b>`. Says when it runs. */
const [url = '', version = '1', weight = '1'] = process.argv.slice(2);
const pool = openPool({ url, applicationName: `feed ${process.pid}`, role: 'causeway_counting', connectionsMax: 8 });
const store = postgresEventStore({ pool, schema: `${schema}_events`, dataKeys: noKeys });
const log = pino({ level: 'silent' });
const projections = [feed({ version: Number(version), prefix: 'b', weight: Number(weight) })];
projector({ pool, schema, store, projections, log, leaseTtlMs: 1000 }).start();
process.stdout.write('running\n');
