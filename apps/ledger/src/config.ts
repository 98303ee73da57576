import { masterKeyFrom } from '@causeway/data-keys';
import { eventStoreSettings, type EventStoreSettings } from '@causeway/event-stores';
import { logLevel } from '@causeway/observability';
import { required, type Environment } from '@causeway/settings';

export type LedgerConfig = Readonly<{
  databaseUrl: string;
  eventStore: EventStoreSettings;
  /** 32 bytes that the connections' data keys are wrapped under. */
  masterKey: Buffer;
  logLevel: string;
}>;

export const ledgerConfig = (env: Environment): LedgerConfig => ({
  databaseUrl: required(env, 'CAUSEWAY_DATABASE_URL'),
  eventStore: eventStoreSettings(env),
  masterKey: masterKeyFrom(required(env, 'CAUSEWAY_MASTER_KEY')),
  logLevel: logLevel(env),
});
