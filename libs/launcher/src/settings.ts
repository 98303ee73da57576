import { eventStoreSettings, type EventStoreSettings } from '@causeway/event-stores';
import { integer, optional, text, type Environment } from '@causeway/settings';
import { resolve } from 'node:path';

/** What the whole system on one machine is told, in one process or in several. */
export type LauncherSettings = Readonly<{
  dataDir: string;
  /** 0: any free port. */
  port: number;
  sandboxBankPort: number;
  /** Undefined: the embedded PostgreSQL. */
  databaseUrl: string | undefined;
  eventStore: EventStoreSettings;
  /** Undefined: made once and kept in the data directory. */
  masterKey: string | undefined;
}>;

const anyPort = { min: 0, max: 65535 };

export const launcherSettings = (env: Environment): LauncherSettings => ({
  dataDir: resolve(text(env, 'CAUSEWAY_DATA_DIR', 'var')),
  port: integer(env, 'CAUSEWAY_PORT', 3000, anyPort),
  sandboxBankPort: integer(env, 'CAUSEWAY_SANDBOX_BANK_PORT', 3010, anyPort),
  databaseUrl: optional(env, 'CAUSEWAY_DATABASE_URL'),
  eventStore: eventStoreSettings(env),
  masterKey: optional(env, 'CAUSEWAY_MASTER_KEY'),
});
