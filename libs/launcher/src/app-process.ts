import { endWithUs } from '@causeway/postgres';
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { keepPid } from './leftovers.ts';
import type { Process } from './keep-alive.ts';

export type AppProcess = Process & Readonly<{ child: ChildProcess }>;

export type AppOptions = Readonly<{
  app: string;
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  /** A file that what it says is added to; left out, standard output can be read and standard error is ours. */
  log?: string;
}>;

const stdioOf = (log: string | undefined) => {
  if (log === undefined) return { stdio: ['ignore', 'pipe', 'inherit'] as const, close: () => undefined };
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const file = openSync(log, 'a', 0o600);
  return { stdio: ['ignore', file, file] as const, close: () => closeSync(file) };
};

/**
 * A built app beside this one, as a process of its own, in a session of its own: a Ctrl-C in the terminal reaches us, and
 * we stop it in its turn.
 */
export const startApp = ({ app, dataDir, env, log }: AppOptions): AppProcess => {
  const program = join(import.meta.dirname, '..', app, 'main.js');
  const { stdio, close } = stdioOf(log);
  const child = spawn(process.execPath, ['--enable-source-maps', program], { detached: true, env, stdio: [...stdio] });
  close();
  endWithUs(child);
  const { pid } = child;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  if (pid === undefined) throw new Error(`${app} could not be started`);
  const forget = keepPid(dataDir, app, pid);

  const stop = async (withinMs: number): Promise<void> => {
    child.kill('SIGTERM');
    let isForced = false;
    const force = (): void => {
      isForced = child.kill('SIGKILL');
    };
    const timer = setTimeout(force, withinMs);
    await exited;
    clearTimeout(timer);
    forget();
    if (isForced) throw new Error(`${app} had to be ended by force`);
  };
  return { child, pid, exited, stop };
};
