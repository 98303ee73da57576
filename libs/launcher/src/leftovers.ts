import { commandOf } from '@causeway/postgres';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const folderOf = (dataDir: string): string => join(dataDir, 'pids');

/** Notes that a process runs for this data directory; the answer takes the note back. */
export const keepPid = (dataDir: string, program: string, pid: number): (() => void) => {
  mkdirSync(folderOf(dataDir), { recursive: true, mode: 0o700 });
  const path = join(folderOf(dataDir), program);
  writeFileSync(path, String(pid), { mode: 0o600 });
  return () => rmSync(path, { force: true });
};

/** Ends a process at once, if the pid is still that program. */
const end = async (pid: number, program: string): Promise<void> => {
  const isThere = (): boolean => commandOf(pid).includes(program);
  if (!(pid > 1) || !isThere()) return;
  process.kill(pid, 'SIGKILL');
  while (isThere()) await sleep(20);
};

/** Ends what a killed launcher left behind: each holds ports, and the bank its journal. */
export const endLeftovers = async (dataDir: string): Promise<void> => {
  const folder = folderOf(dataDir);
  const programs = existsSync(folder) ? readdirSync(folder) : [];
  for (const program of programs) {
    const path = join(folder, program);
    await end(Number(readFileSync(path, 'utf8')), program);
    rmSync(path, { force: true });
  }
};
