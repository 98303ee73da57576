import { commandOf } from '@causeway/postgres';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export class AlreadyRunning extends Error {}

/** Whole or not at all, readable by the owner only. */
export const writeJson = (dataDir: string, name: string, content: object): void => {
  const path = join(dataDir, name);
  writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
};

export const readJson = <T>(dataDir: string, name: string): T | undefined => {
  const path = join(dataDir, name);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined;
};

/** One system per data directory. A lock whose process is gone, or is another program by now, is taken over. */
export const lockDataDir = (dataDir: string): (() => void) => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'causeway.pid');
  const holder = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
  if (holder > 0 && holder !== process.pid && /start[a-z-]*\.mjs|standalone|distributed/.test(commandOf(holder))) {
    throw new AlreadyRunning(`${dataDir} is in use by process ${holder}`);
  }
  writeFileSync(path, String(process.pid), { mode: 0o600 });
  return () => rmSync(path, { force: true });
};
