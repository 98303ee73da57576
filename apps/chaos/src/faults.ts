import { startSystem, type SystemOptions } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { pidOf, untilWell } from './processes.ts';
import type { Random } from '@causeway/testing';
import { stopOf } from './stops.ts';
import { points, type Fault, type Point, type Running } from './world.ts';

/** Every target meets every point within as many seeds as there are points; the rest is by chance. */
export const planOf = (seed: number, random: Random): readonly Fault[] => {
  const point = points[seed % points.length] as Point;
  const [target, other] = Math.floor(seed / points.length) % 2 === 0 ? ['system', 'postgres'] : ['postgres', 'system'];
  const faults: Fault[] = [
    { target, at: point },
    { target: other, at: 300 + random.below(2500) },
  ];
  if (random.chance(0.5)) faults.push({ target: random.pick(['system', 'postgres']), at: random.below(2000) });
  return [...faults, stopOf(seed, random)];
};

/** A database that dies alone is there again within so long: that is promised. */
const wellTimeoutMs = 30_000;

/** kill -9, and the system up again: by our hand when it was the system, by its own when it was PostgreSQL. */
export const killing =
  (running: Running, options: SystemOptions) =>
  async ({ target }: Fault): Promise<void> => {
    if (target === 'system') {
      await running.system.kill();
      running.system = await startSystem(options);
      return;
    }
    const pid = pidOf(options.dataDir, target);
    process.kill(pid, 'SIGKILL');
    await untilWell(running.system, { dataDir: options.dataDir, timeoutMs: wellTimeoutMs, killed: [target, pid] });
  };

export type Striker = Readonly<{ reached(point: Point): void; strikeAll(): Promise<readonly string[]> }>;

const pointTimeoutMs = 6000;

/** A point that no client comes to is not waited for longer: the fault is planned, and happens. */
export const strikerOf = <F extends Fault>(
  plan: readonly F[],
  strike: (fault: F) => Promise<void>,
  random: Random,
): Striker => {
  const waiting = new Map<Point, () => void>();

  /** Says when it was. */
  const untilDue = async ({ at }: Fault): Promise<string> => {
    if (typeof at === 'number') {
      await sleep(at);
      return 'at random';
    }
    const there = new Promise<boolean>((resolve) => waiting.set(at, () => resolve(true)));
    const arrived = await Promise.race([there, sleep(pointTimeoutMs, false)]);
    await sleep(random.below(25));
    return arrived ? `at ${at}` : 'at random';
  };
  const strikeAll = async (): Promise<readonly string[]> => {
    const struck: string[] = [];
    for (const fault of plan) {
      const when = await untilDue(fault);
      await strike(fault);
      struck.push(`${fault.target} ${when}`);
    }
    return struck;
  };
  const reached = (point: Point): void => {
    waiting.get(point)?.();
    waiting.delete(point);
  };
  return { reached, strikeAll };
};
