import { encryptingConfig, type EncryptingConfig } from '@causeway/service';
import { keysIn, type Environment, type KeySet } from '@causeway/settings';

export type LedgerConfig = EncryptingConfig &
  Readonly<{
    /** Sign what is said of an erasure; the first is the one in use. */
    receiptKeys: KeySet;
  }>;

export const ledgerConfig = (env: Environment): LedgerConfig => ({
  ...encryptingConfig(env),
  receiptKeys: keysIn(env, 'CAUSEWAY_RECEIPT_KEYS'),
});
