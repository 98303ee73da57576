import type { DataKeys } from '@causeway/data-keys';
import type { EventStore } from '@causeway/event-sourcing';
import { eventStoreDb, eventStoreDbMigrations } from '@causeway/event-store-eventstoredb';
import { eventStoreMigrations as postgresMigrations, postgresEventStore } from '@causeway/event-store-postgres';
import type { Migration, Pool } from '@causeway/postgres';
import type { EventStoreSettings } from './settings.ts';

type Options = Readonly<{
  /** Sessions of the service's role. */
  pool: Pool;
  /** The schema that `eventStoreMigrations` filled. On a server of its own, the namespace of the service's streams too. */
  schema: string;
  dataKeys: DataKeys;
}>;

/** The one place that knows which stores there are. */
export const openEventStore = (settings: EventStoreSettings, options: Options): EventStore =>
  settings.kind === 'postgres'
    ? postgresEventStore(options)
    : eventStoreDb({ ...options, url: settings.url, namespace: options.schema });

/** For `migrate(url, schema, …)`: what either store needs, so that choosing one is a setting and no migration. */
export const eventStoreMigrations = (schema: string, role: string): readonly Migration[] => [
  ...postgresMigrations(schema, role),
  ...eventStoreDbMigrations(schema, role),
];
