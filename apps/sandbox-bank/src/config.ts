import { integer, text, type Environment } from '@causeway/settings';
import { join, resolve } from 'node:path';

type Config = Readonly<{
  /** 0: any free port. */
  port: number;
  journalDir: string;
  seed: number;
  /** Rows in the history of a sandbox-large account opened from now on. */
  largeRows: number;
}>;

const largeRowsMax = 10_000_000;

export const readConfig = (env: Environment): Config => ({
  port: integer(env, 'CAUSEWAY_SANDBOX_BANK_PORT', 3010, { min: 0, max: 65_535 }),
  journalDir: join(resolve(text(env, 'CAUSEWAY_DATA_DIR', 'var')), 'sandbox-bank'),
  seed: integer(env, 'CAUSEWAY_SANDBOX_SEED', 1, { min: 0, max: 0xffff_ffff }),
  largeRows: integer(env, 'CAUSEWAY_SANDBOX_LARGE_ROWS', 100_000, { min: 0, max: largeRowsMax }),
});
