import { masterKeyFrom } from '@causeway/data-keys';
import { eventStoreSettings, type EventStoreSettings } from '@causeway/event-stores';
import { logLevel } from '@causeway/observability';
import { integer, required, text, type Environment } from '@causeway/settings';
import { resolve } from 'node:path';

export type TransfersConfig = Readonly<{
  databaseUrl: string;
  eventStore: EventStoreSettings;
  masterKey: Buffer;
  sandboxBankUrl: string;
  fileDropDir: string;
  /** An order that the bank denies having seen for this long never reached it. */
  deniedSeconds: number;
  /** Of an organization in an environment, neither ended nor returned; 0: no limit. */
  openTransfersMax: number;
  logLevel: string;
}>;

const hour = 3600;

export const transfersConfig = (env: Environment): TransfersConfig => ({
  databaseUrl: required(env, 'CAUSEWAY_DATABASE_URL'),
  eventStore: eventStoreSettings(env),
  masterKey: masterKeyFrom(required(env, 'CAUSEWAY_MASTER_KEY')),
  sandboxBankUrl: required(env, 'CAUSEWAY_SANDBOX_BANK_URL'),
  fileDropDir: resolve(text(env, 'CAUSEWAY_FILE_DROP_DIR', 'var/file-drop')),
  deniedSeconds: integer(env, 'CAUSEWAY_TRANSFER_DENIED_SECONDS', 60, { min: 30, max: hour }),
  openTransfersMax: integer(env, 'CAUSEWAY_MAX_OPEN_TRANSFERS', 10_000, { min: 0, max: 100_000_000 }),
  logLevel: logLevel(env),
});
