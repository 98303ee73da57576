import { join, resolve } from 'node:path';

export type Config = Readonly<{
  /** 0: any free port. */
  port: number;
  journalDir: string;
  seed: number;
  /** Rows in the history of a sandbox-large account opened from now on. */
  largeRows: number;
}>;

const largeRowsMax = 10_000_000;

const integer = (environment: NodeJS.ProcessEnv, name: string, bounds: { otherwise: number; max: number }): number => {
  const text = environment[name] ?? '';
  if (text === '') return bounds.otherwise;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= bounds.max) return value;
  throw new Error(`${name} must be a whole number from 0 to ${bounds.max}, not "${text}"`);
};

export const readConfig = (environment: NodeJS.ProcessEnv): Config => ({
  port: integer(environment, 'CAUSEWAY_SANDBOX_BANK_PORT', { otherwise: 3010, max: 65_535 }),
  journalDir: join(resolve(environment['CAUSEWAY_DATA_DIR'] || 'var'), 'sandbox-bank'),
  seed: integer(environment, 'CAUSEWAY_SANDBOX_SEED', { otherwise: 1, max: 0xffff_ffff }),
  largeRows: integer(environment, 'CAUSEWAY_SANDBOX_LARGE_ROWS', { otherwise: 100_000, max: largeRowsMax }),
});
