import { startChild, type Child, type ChildOptions } from '@causeway/postgres';
import { join } from 'node:path';
import type { Process } from './keep-alive.ts';
import { keepPid } from './leftovers.ts';

export type AppProcess = Process & Pick<Child, 'process'>;

type AppOptions = Pick<ChildOptions, 'env' | 'log'> & Readonly<{ app: string; dataDir: string }>;

/** A built app beside this one, as a process of its own. */
export const startApp = ({ app, dataDir, ...options }: AppOptions): AppProcess => {
  const program = join(import.meta.dirname, '..', app, 'main.js');
  const child = startChild(process.execPath, ['--enable-source-maps', program], options);
  const forget = keepPid(dataDir, app, child.pid);
  const stop = async (withinMs: number): Promise<void> => {
    const isForced = await child.stop(withinMs);
    forget();
    if (isForced) throw new Error(`${app} had to be ended by force`);
  };
  return { ...child, stop };
};
