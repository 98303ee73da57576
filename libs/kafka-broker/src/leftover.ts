import { commandOf } from '@causeway/postgres';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { NoBroker } from './no-broker.ts';

/** `pid (name) state parent …`; a name may hold spaces and parentheses. */
const parentOf = (pid: number): number => {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) ? Number(/.*\) \S+ (\d+)/s.exec(readFileSync(stat, 'utf8'))?.[1] ?? 0) : 0;
};

/** Notes the broker, and this process, which stops it one day. */
export const keepPids = (pidFile: string, broker: number): void =>
  writeFileSync(pidFile, `${broker}\n${process.pid}\n`, { mode: 0o600 });

/**
 * A broker that a killed process left behind still holds the folder: it is ended before another starts. One whose starter
 * is alive is in use. A broker that lost its starter has another parent, so a number that is given anew misleads nobody.
 */
export const endLeftover = async (pidFile: string, properties: string): Promise<void> => {
  if (!existsSync(pidFile)) return;
  const [pid = 0, starter] = readFileSync(pidFile, 'utf8').split('\n').map(Number);
  const isThere = (): boolean => commandOf(pid).includes(properties);
  if (!(pid > 1) || !isThere()) return;
  if (parentOf(pid) === starter) {
    const place = `a Kafka broker, process ${pid}, runs on ${properties}`;
    throw new NoBroker(`${place}: stop process ${starter}, which started it, or set another CAUSEWAY_DATA_DIR`);
  }
  process.kill(pid, 'SIGKILL');
  while (isThere()) await sleep(20);
};
