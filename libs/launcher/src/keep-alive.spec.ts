import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepAlive, type Process } from './keep-alive.ts';

const started: Process[] = [];

/** A process that does nothing until it is killed. */
const idle = async (): Promise<Process> => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const exited = once(child, 'exit').then(() => undefined);
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  const running = { pid: child.pid as number, exited, stop };
  started.push(running);
  return running;
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const until = async (isSo: () => boolean): Promise<void> => {
  for (const deadline = Date.now() + 5000; !isSo(); await sleep(20)) {
    if (Date.now() > deadline) throw new Error('not within 5 s');
  }
};

let stopping: AbortController;
let signal: AbortSignal;
beforeEach(() => {
  stopping = new AbortController();
  ({ signal } = stopping);
});
afterEach(() => Promise.all(started.splice(0).map((running) => running.stop(1000))));

test('what dies is started again, knows the one before, and somebody is told', async () => {
  const befores: (number | undefined)[] = [];
  let restarts = 0;
  const start = (before: Process | undefined): Promise<Process> => {
    befores.push(before?.pid);
    return idle();
  };
  const kept = await keepAlive(start, { onRestart: () => restarts++, signal });
  const first = kept.current().pid;
  process.kill(first, 'SIGKILL');
  await until(() => restarts === 1);
  expect(kept.current().pid).not.toBe(first);
  expect(befores).toEqual([undefined, first]);
  stopping.abort();
  await kept.stop(1000);
  expect(started.map(({ pid }) => isAlive(pid))).toEqual([false, false]);
});

test('a start that fails is tried again', async () => {
  let starts = 0;
  const start = async (): Promise<Process> => {
    starts++;
    if (starts === 2) throw new Error('the port is not free yet');
    return idle();
  };
  const kept = await keepAlive(start, { onRestart: () => undefined, signal });
  process.kill(kept.current().pid, 'SIGKILL');
  await until(() => starts === 3 && isAlive(kept.current().pid));
  stopping.abort();
  await kept.stop(1000);
});

test('a stop amid a restart leaves nothing running, and nothing is started after it', async () => {
  let starting = (): void => undefined;
  const begun = new Promise<void>((resolve) => (starting = resolve));
  let starts = 0;
  const slow = async (before: Process | undefined): Promise<Process> => {
    starts++;
    if (before === undefined) return idle();
    starting();
    await sleep(300);
    return idle();
  };
  const kept = await keepAlive(slow, { onRestart: () => undefined, signal });
  process.kill(kept.current().pid, 'SIGKILL');
  await begun;
  stopping.abort();
  await kept.stop(1000);
  expect(started.map(({ pid }) => isAlive(pid))).toEqual([false, false]);
  await sleep(600);
  expect(starts).toBe(2);
});
