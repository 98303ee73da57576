import { environmentOfOthers } from '@causeway/settings';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

export const hasProc = existsSync('/proc/self/cmdline');

/**
 * The command line of a process; empty when there is none of this number, or one that has ended and that its parent has
 * not heard of.
 */
export const commandOf = (pid: number): string => {
  if (!(pid > 0)) return '';
  try {
    if (hasProc) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  } catch {
    return '';
  }
};

const ours = new Map<ChildProcess, NodeJS.Signals>();
const endAll = (): void => ours.forEach((signal, child) => child.kill(signal));

/** However this process ends, but for a kill, that one ends with it. */
const endWithUs = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (ours.size === 0) process.once('exit', endAll);
  ours.set(child, signal);
  child.once('exit', () => {
    ours.delete(child);
    if (ours.size === 0) process.off('exit', endAll);
  });
};

export type Child = Readonly<{
  process: ChildProcess;
  pid: number;
  /** Resolves when it has ended, by whatever cause. */
  exited: Promise<void>;
  /** Asks it to end, forces it to after so long, and waits for its end. True: it was forced. */
  stop(withinMs: number): Promise<boolean>;
}>;

export type ChildOptions = Readonly<{
  /** Ours without what is set for us alone, when left out. */
  env?: Readonly<Record<string, string | undefined>>;
  /** A file that what it says is added to; left out, standard output can be read and standard error is ours. */
  log?: string;
  askedBy?: NodeJS.Signals;
  forcedBy?: NodeJS.Signals;
}>;

/** A process in a session of its own: a Ctrl-C in the terminal reaches us, and we stop it in its turn. It ends with us. */
export const startChild = (command: string, args: readonly string[], options: ChildOptions): Child => {
  const { env = environmentOfOthers(process.env), log, askedBy = 'SIGTERM', forcedBy = 'SIGKILL' } = options;
  if (log !== undefined) mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const out = log === undefined ? undefined : openSync(log, 'a', 0o600);
  const child = spawn(command, args, {
    ...{ detached: true, env },
    stdio: ['ignore', out ?? 'pipe', out ?? 'inherit'],
  });
  if (out !== undefined) closeSync(out);
  endWithUs(child, forcedBy);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  if (child.pid === undefined) throw new Error(`${command} could not be started`);

  const stop = async (withinMs: number): Promise<boolean> => {
    child.kill(askedBy);
    let isForced = false;
    const timer = setTimeout(() => (isForced = child.kill(forcedBy)), withinMs);
    await exited;
    clearTimeout(timer);
    return isForced;
  };
  return { process: child, pid: child.pid, exited, stop };
};
