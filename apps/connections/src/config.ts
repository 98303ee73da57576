import { encryptingConfig, type EncryptingConfig } from '@causeway/service';
import {
  integer,
  keysIn,
  optionalInteger,
  required,
  secretsIn,
  text,
  type Environment,
  type KeySet,
} from '@causeway/settings';
import { resolve } from 'node:path';

export type ConnectionsConfig = EncryptingConfig &
  Readonly<{
    /** Of the names of reservations. */
    reservationSecret: Buffer;
    /** Open what was sealed to us; the first is the one in use. */
    sealingKeys: KeySet;
    sandboxBankUrl: string;
    fileDropDir: string;
    cooldownSeconds: Readonly<{ live: number; test: number }>;
    /** 0: connections sync only when told to. */
    syncIntervalSeconds: number;
    /** A run that hears nothing of the bank for this long has failed. */
    syncSilenceSeconds: number;
    /** Bytes of a run that may be sent and not booked: what a fast bank sends must not pile up behind a slow ledger. */
    unbookedBytesMax: number;
    /** Of an organization; 0: no limit. */
    entitiesMax: number;
    /** Of an organization in an environment; 0: no limit. */
    connectionsMax: number;
  }>;

const day = 86_400;
const unbookedBytesMax = 16 * 1024 * 1024;

export const connectionsConfig = (env: Environment): ConnectionsConfig => {
  const cooldown = optionalInteger(env, 'CAUSEWAY_SYNC_COOLDOWN_SECONDS', { min: 0, max: day });
  return {
    ...encryptingConfig(env),
    reservationSecret: secretsIn(env, 'CAUSEWAY_RESERVATION_SECRET')[0].key,
    sealingKeys: keysIn(env, 'CAUSEWAY_SEALING_KEYS'),
    sandboxBankUrl: required(env, 'CAUSEWAY_SANDBOX_BANK_URL'),
    fileDropDir: resolve(text(env, 'CAUSEWAY_FILE_DROP_DIR', 'var/file-drop')),
    cooldownSeconds: { live: cooldown ?? 60, test: cooldown ?? 5 },
    syncIntervalSeconds: integer(env, 'CAUSEWAY_SYNC_INTERVAL_SECONDS', 3600, { min: 0, max: 30 * day }),
    syncSilenceSeconds: integer(env, 'CAUSEWAY_SYNC_SILENCE_SECONDS', 600, { min: 10, max: day }),
    unbookedBytesMax,
    entitiesMax: integer(env, 'CAUSEWAY_MAX_ENTITIES', 10_000, { min: 0, max: 100_000_000 }),
    connectionsMax: integer(env, 'CAUSEWAY_MAX_CONNECTIONS', 1000, { min: 0, max: 100_000_000 }),
  };
};
