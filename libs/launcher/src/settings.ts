import { eventStoreSettings, type EventStoreSettings } from '@causeway/event-stores';
import { integer, optional, text, type Environment } from '@causeway/settings';
import { resolve } from 'node:path';
import { givenSecrets, type SecretTexts } from './secrets.ts';

/** What the whole system on one machine is told, in one process or in several. */
export type LauncherSettings = Readonly<{
  dataDir: string;
  /** 0: any free port. */
  port: number;
  sandboxBankPort: number;
  /** Undefined: the embedded PostgreSQL. */
  databaseUrl: string | undefined;
  /** Undefined: data keys are in the same. */
  keysDatabaseUrl: string | undefined;
  /** Undefined: the sandbox bank, as a process of its own. */
  sandboxBankUrl: string | undefined;
  eventStore: EventStoreSettings;
  /** Those that are given. The others are made once and kept in the data directory. */
  secrets: SecretTexts;
}>;

const anyPort = { min: 0, max: 65535 };

export const launcherSettings = (env: Environment): LauncherSettings => {
  const databaseUrl = optional(env, 'CAUSEWAY_DATABASE_URL');
  return {
    dataDir: resolve(text(env, 'CAUSEWAY_DATA_DIR', 'var')),
    port: integer(env, 'CAUSEWAY_PORT', 3000, anyPort),
    sandboxBankPort: integer(env, 'CAUSEWAY_SANDBOX_BANK_PORT', 3010, anyPort),
    databaseUrl,
    keysDatabaseUrl: optional(env, 'CAUSEWAY_KEYS_DATABASE_URL'),
    sandboxBankUrl: optional(env, 'CAUSEWAY_SANDBOX_BANK_URL'),
    eventStore: eventStoreSettings(env),
    secrets: givenSecrets(env, databaseUrl !== undefined),
  };
};
