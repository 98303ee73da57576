import type { Part } from '@causeway/data-keys';
import { eventsPart, eventStoreSettings } from '@causeway/event-stores';
import { kafkaMember, type KafkaMember } from '@causeway/messaging-kafka';
import { integer, oneOf, optional, required, SettingInvalid, text, type Environment } from '@causeway/settings';

/** What the process of a service is told, beside what the service is told. */
export type ProcessSettings = Readonly<{
  host: string;
  /** 0: any free port. */
  healthPort: number;
  databaseUrl: string;
  /** The owner of the schemas logs in here; the service itself when nothing else is said. */
  migrationDatabaseUrl: string;
  /** The same where data keys are in a database of their own. */
  keysMigrationDatabaseUrl: string | undefined;
  /** Where the installation's events are. */
  events: Part;
  kafka: KafkaMember;
  /** Not ready before this file is there: whoever starts the process has more to do first. */
  readyFile: string | undefined;
}>;

export const processSettings = (env: Environment, healthPortDefault: number): ProcessSettings => {
  if (oneOf(env, 'CAUSEWAY_BUS', 'kafka', ['kafka', 'in-process']) !== 'kafka') {
    throw new SettingInvalid('CAUSEWAY_BUS must be kafka: services in processes of their own meet nowhere else');
  }
  const databaseUrl = required(env, 'CAUSEWAY_DATABASE_URL');
  return {
    host: text(env, 'CAUSEWAY_HOST', '127.0.0.1'),
    healthPort: integer(env, 'CAUSEWAY_HEALTH_PORT', healthPortDefault, { min: 0, max: 65_535 }),
    databaseUrl,
    migrationDatabaseUrl: optional(env, 'CAUSEWAY_MIGRATION_DATABASE_URL') ?? databaseUrl,
    keysMigrationDatabaseUrl:
      optional(env, 'CAUSEWAY_KEYS_MIGRATION_DATABASE_URL') ?? optional(env, 'CAUSEWAY_KEYS_DATABASE_URL'),
    events: eventsPart(eventStoreSettings(env)),
    kafka: kafkaMember(env),
    readyFile: optional(env, 'CAUSEWAY_READY_FILE'),
  };
};
