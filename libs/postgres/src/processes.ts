import { spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

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
export const endWithUs = (child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void => {
  if (ours.size === 0) process.once('exit', endAll);
  ours.set(child, signal);
  child.once('exit', () => {
    ours.delete(child);
    if (ours.size === 0) process.off('exit', endAll);
  });
};
