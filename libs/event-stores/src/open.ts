import type { Part } from '@causeway/data-keys';
import type { EventStore } from '@causeway/event-sourcing';
import { eventStoreDb, eventStoreDbMigrations, prefixOf, serverIdentity } from '@causeway/event-store-eventstoredb';
import {
  eventStoreMigrations as postgresMigrations,
  postgresEventStore,
  type StoreOptions,
} from '@causeway/event-store-postgres';
import { migration, sqlName, type Migration } from '@causeway/postgres';
import { highWaterMark } from './high-water-mark.sql.ts';
import { serverSettingOf, type EventStoreSettings } from './settings.ts';

/** The one place that knows which stores there are. On a server, the schema is the namespace of the service's streams, too. */
export const openEventStore = (settings: EventStoreSettings, options: StoreOptions): EventStore =>
  settings.kind === 'postgres'
    ? postgresEventStore(options)
    : eventStoreDb({ ...options, url: settings.url, namespace: prefixOf(settings) + options.schema });

/** Where the installation's events are. */
export const eventsPart = (settings: EventStoreSettings): Part => ({
  ...{ name: 'events', setting: serverSettingOf(settings), what: 'the events of this installation' },
  ...{ elsewhere: settings.kind === 'postgres' ? undefined : serverIdentity(settings), adopt: 'event-store adopt' },
});

/** For `migrate(url, schema, …)`: what either store needs, so that choosing one is a setting and no migration. */
export const eventStoreMigrations = (schema: string, role: string): readonly Migration[] => [
  ...postgresMigrations(schema, role),
  ...eventStoreDbMigrations(schema, role),
  migration('HighWaterMark1767225600002', highWaterMark(sqlName(schema))),
];
