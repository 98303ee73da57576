import { startSystem, type System } from '@causeway/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.ts';
import { points, type Point } from './world.ts';

export type Target = 'system' | 'postgres';

/** When to strike: at a named point, or some milliseconds after the last strike. */
export type Fault = Readonly<{ target: Target; at: Point | number }>;

/** Every target meets every point within as many seeds as there are points; the rest is by chance. */
export const planOf = (seed: number, random: Random): readonly Fault[] => {
  const point = points[seed % points.length] as Point;
  const target: Target = Math.floor(seed / points.length) % 2 === 0 ? 'system' : 'postgres';
  const other: Target = target === 'system' ? 'postgres' : 'system';
  const faults: Fault[] = [
    { target, at: point },
    { target: other, at: 300 + random.below(2500) },
  ];
  if (random.chance(0.5)) faults.push({ target: random.pick(['system', 'postgres']), at: random.below(2000) });
  return faults;
};

const pointTimeoutMs = 6000;
const healthyTimeoutMs = 30_000;

export type Running = { system: System };

const postgresOf = (dataDir: string): number => {
  const dev = JSON.parse(readFileSync(join(dataDir, 'dev.json'), 'utf8')) as { processes: { postgres: number } };
  return dev.processes.postgres;
};

/** Another server runs, and the system says that it is well. */
const untilHealthy = async (running: Running, dataDir: string, killed: number): Promise<void> => {
  for (const deadline = Date.now() + healthyTimeoutMs; Date.now() < deadline; await sleep(50)) {
    if (postgresOf(dataDir) === killed) continue;
    const ready = await fetch(`${running.system.baseUrl}/readyz`)
      .then((answer) => answer.status === 200)
      .catch(() => false);
    if (ready) return;
  }
  throw new Error(`not ready again ${healthyTimeoutMs} ms after PostgreSQL was killed`);
};

/** kill -9, and the system up again: by our hand when it was the system, by its own when it was PostgreSQL. */
const strike = async (running: Running, target: Target, start: () => Promise<System>, dataDir: string) => {
  if (target === 'system') {
    await running.system.kill();
    running.system = await start();
    return;
  }
  const pid = postgresOf(dataDir);
  process.kill(pid, 'SIGKILL');
  await untilHealthy(running, dataDir, pid);
};

export type Striker = Readonly<{ reached(point: Point): void; strikeAll(): Promise<readonly string[]> }>;

/** `dataDir` and ports are fixed, so that clients find the system again after a kill. */
export const strikerOf = (
  running: Running,
  plan: readonly Fault[],
  options: Readonly<{ dataDir: string; env: Readonly<Record<string, string>>; random: Random }>,
): Striker => {
  const { dataDir, env, random } = options;
  const waiting = new Map<Point, () => void>();

  const strikeAll = async (): Promise<readonly string[]> => {
    const struck: string[] = [];
    for (const { target, at } of plan) {
      if (typeof at === 'number') await sleep(at);
      else {
        const there = new Promise<boolean>((resolve) => waiting.set(at, () => resolve(true)));
        const arrived = await Promise.race([there, sleep(pointTimeoutMs, false)]);
        if (!arrived) continue;
        await sleep(random.below(25));
      }
      await strike(running, target, () => startSystem({ dataDir, env }), dataDir);
      struck.push(`${target} ${typeof at === 'number' ? 'at random' : `at ${at}`}`);
    }
    return struck;
  };

  const reached = (point: Point): void => {
    waiting.get(point)?.();
    waiting.delete(point);
  };
  return { reached, strikeAll };
};
