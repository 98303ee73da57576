import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandOf, hasProc } from './processes.ts';

/** For its checkpoint; as long again for an end without one. */
const askedMs = 15_000;

/**
 * A server and its sessions have their folder as their place, and so may an editor of its settings: the program counts.
 * Where that is not told, a server's command line names both.
 */
const isOn = (folder: string, pid: number): boolean => {
  try {
    const program = readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '');
    return basename(program) === 'postgres' && readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    const command = commandOf(pid);
    return command.includes('postgres') && command.includes(folder);
  }
};

/** What runs on the folder. Without /proc only the server is known, by its lock. */
const processesOn = (folder: string, holder: number): readonly number[] => {
  if (!hasProc) return commandOf(holder).includes('postgres') ? [holder] : [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isOn(folder, pid));
};

/**
 * A server that a killed process left behind still holds the folder: it is stopped before another starts, and so are
 * sessions whose server was killed. PostgreSQL takes a lock for held whose number any process has, be it one that has ended
 * and that nobody has reaped, or another program: such a lock goes. Its own look at the folder's shared memory remains.
 * The signal: at once, as nothing will start.
 */
export const stopLeftover = async (data: string, signal?: AbortSignal): Promise<void> => {
  const lock = join(data, 'postmaster.pid');
  const [pidLine, place] = existsSync(lock) ? readFileSync(lock, 'utf8').split('\n') : [];
  const holder = place === data ? Number(pidLine) : 0;
  const folder = realpathSync(data);
  const began = performance.now();
  for (let left = processesOn(folder, holder); left.length > 0; left = processesOn(folder, holder)) {
    const waitedMs = performance.now() - began;
    if (waitedMs > 2 * askedMs) return;
    const isServed = left.includes(holder);
    const isAsked = isServed && waitedMs < askedMs && signal?.aborted !== true;
    for (const pid of isServed ? [holder] : left) tell(pid, isAsked ? 'SIGINT' : 'SIGQUIT');
    await sleep(50);
  }
  if (hasProc) rmSync(lock, { force: true });
};

const tell = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
