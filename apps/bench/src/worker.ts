import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A process beside this one, of a `*.worker.ts`; it ends when it is disconnected, and with this one. */
export type Worker = Readonly<{
  child: ChildProcess;
  /** The next that it sends. */
  reply<T>(): Promise<T>;
  /** Rejects when it ends. */
  ended: Promise<never>;
}>;

export const worker = (name: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = process.env): Worker => {
  const path = join(import.meta.dirname, `${name}.worker.js`);
  const child = fork(path, args, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit').then((): never => {
    throw new Error(`${name} ended`);
  });
  // It ends in the end: that is no fault unless somebody waits for it.
  ended.catch(() => undefined);
  return {
    child,
    reply: <T>() => Promise.race([once(child, 'message').then(([message]) => message as T), ended]),
    ended,
  };
};
