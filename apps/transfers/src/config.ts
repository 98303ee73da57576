import { encryptingConfig, type EncryptingConfig } from '@causeway/service';
import { integer, required, text, type Environment } from '@causeway/settings';
import { resolve } from 'node:path';

export type TransfersConfig = EncryptingConfig &
  Readonly<{
    sandboxBankUrl: string;
    fileDropDir: string;
    /** An order that the bank denies having seen for this long never reached it. */
    deniedSeconds: number;
    /** Of an organization in an environment, neither ended nor returned; 0: no limit. */
    openTransfersMax: number;
  }>;

const hour = 3600;

export const transfersConfig = (env: Environment): TransfersConfig => ({
  ...encryptingConfig(env),
  sandboxBankUrl: required(env, 'CAUSEWAY_SANDBOX_BANK_URL'),
  fileDropDir: resolve(text(env, 'CAUSEWAY_FILE_DROP_DIR', 'var/file-drop')),
  deniedSeconds: integer(env, 'CAUSEWAY_TRANSFER_DENIED_SECONDS', 60, { min: 30, max: hour }),
  openTransfersMax: integer(env, 'CAUSEWAY_MAX_OPEN_TRANSFERS', 10_000, { min: 0, max: 100_000_000 }),
});
