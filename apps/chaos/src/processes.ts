import type { System } from '@causeway/testing';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** As it is now: what dies is started again under another number. */
export const pidOf = (dataDir: string, name: string): number => {
  const dev = JSON.parse(readFileSync(join(dataDir, 'dev.json'), 'utf8')) as { processes: Record<string, number> };
  const pid = dev.processes[name];
  if (pid === undefined) throw new Error(`no process ${name} runs`);
  return pid;
};

/** A process with those that it started: PostgreSQL has one for each session. */
export const familyOf = (pid: number): readonly number[] => {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return [pid];
  const children = readdirSync(threads).flatMap((thread) =>
    readFileSync(join(threads, thread, 'children'), 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
  return [pid, ...children];
};

type Struck = Readonly<{ dataDir: string; timeoutMs: number; killed?: readonly [name: string, pid: number] }>;

/** What was killed runs again, and the system says that it is well. */
export const untilWell = async ({ baseUrl }: System, { dataDir, timeoutMs, killed }: Struck): Promise<void> => {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(50)) {
    if (killed !== undefined && pidOf(dataDir, killed[0]) === killed[1]) continue;
    const ready = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(5000) })
      .then((answer) => answer.status === 200)
      .catch(() => false);
    if (ready) return;
  }
  throw new Error(`not ready again ${timeoutMs} ms after ${killed?.[0] ?? 'the last fault'}`);
};
