import { commandOf } from '@causeway/postgres';
import { randomBytes } from 'node:crypto';
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

/** 32 bytes in base64: made once, and kept beside the data that it protects. Given from outside in production. */
export const keptMasterKey = (dataDir: string): string => {
  const path = join(dataDir, 'master.key');
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, randomBytes(32).toString('base64'), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
  return readFileSync(path, 'utf8').trim();
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
