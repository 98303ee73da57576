import { masterKeyFrom } from '@causeway/data-keys';
import { oneOf, required, type Environment } from '@causeway/settings';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

export type LedgerConfig = Readonly<{
  databaseUrl: string;
  /** 32 bytes that the connections' data keys are wrapped under. */
  masterKey: Buffer;
  logLevel: (typeof logLevels)[number];
}>;

export const ledgerConfig = (env: Environment): LedgerConfig => ({
  databaseUrl: required(env, 'CAUSEWAY_DATABASE_URL'),
  masterKey: masterKeyFrom(required(env, 'CAUSEWAY_MASTER_KEY')),
  logLevel: oneOf(env, 'CAUSEWAY_LOG_LEVEL', 'info', logLevels),
});
