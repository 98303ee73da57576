import { services } from '@causeway/settings';
import { setTimeout as sleep } from 'node:timers/promises';
import { familyOf, pidOf, untilWell } from './processes.ts';
import type { Passage } from './proxy.ts';
import type { Random } from '@causeway/testing';
import type { Detoured } from './detours.ts';
import { stopOf } from './stops.ts';
import { points, type Fault, type Running } from './world.ts';

const targets = [...services, 'broker', 'postgres'] as const;
const passages = ['cut', 'delayed', 'half-open'] as const satisfies readonly Passage[];
const hands = ['kill', 'stop', ...passages] as const;

/** What is done to whom, as it is counted. */
export const kinds: readonly string[] = hands.flatMap((hand) => targets.map((name) => `${hand} ${name}`));

/** `target`: one of `kinds`, or of the stops of the whole. */
export type Blow = Fault & Readonly<{ lastsMs: number }>;

const blowsPerSeed = 2;
/** Once in so many seeds something stands still for a minute. */
const longStopEvery = 10;
const longStopMs = 60_000;
/** A broker that was killed reads its log before it serves. */
const wellTimeoutMs = 60_000;

/** Whatever the seed, each next one goes on with the kinds: after 35 seeds, each has been met twice. */
export const distributedPlanOf = (seed: number, random: Random): readonly Blow[] => {
  const blow = (target: string): Blow => ({
    target,
    at: random.chance(0.5) ? random.pick(points) : random.below(2500),
    lastsMs: 1000 + random.below(7000),
  });
  const first = seed * blowsPerSeed;
  // The step has no divisor in common with the number of kinds: neighbours are unlike.
  const hits = Array.from({ length: blowsPerSeed }, (_, n) => blow(kinds[((first + n) * 8) % kinds.length] as string));
  const plan = [...hits, { ...stopOf(seed, random), lastsMs: 0 }];
  if (seed % longStopEvery !== 0) return plan;
  const still = targets[Math.floor(seed / longStopEvery) % targets.length] as string;
  return [...plan, { ...blow(`stop ${still}`), lastsMs: longStopMs }];
};

type Site = Readonly<{ dataDir: string; detours: Detoured }>;

/** A process that ends while it stands still is somebody else's, or nobody's, afterwards. */
const signal = (pid: number, name: 'SIGSTOP' | 'SIGCONT'): void => {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

const standStill = async (dataDir: string, name: string, lastsMs: number): Promise<void> => {
  const family = familyOf(pidOf(dataDir, name));
  try {
    family.forEach((pid) => signal(pid, 'SIGSTOP'));
    await sleep(lastsMs);
  } finally {
    family.forEach((pid) => signal(pid, 'SIGCONT'));
  }
};

const kill = (dataDir: string, name: string): readonly [string, number] => {
  const pid = pidOf(dataDir, name);
  process.kill(pid, 'SIGKILL');
  return [name, pid];
};

/** Does it, and waits until all is well again by itself. */
export const blows =
  (running: Running, { dataDir, detours }: Site) =>
  async ({ target, lastsMs }: Blow): Promise<void> => {
    const { system } = running;
    const [hand, name = ''] = target.split(' ');
    const passage = passages.find((candidate) => candidate === hand);
    if (hand === 'kill') return untilWell(system, { dataDir, timeoutMs: wellTimeoutMs, killed: kill(dataDir, name) });
    if (passage === undefined) await standStill(dataDir, name, lastsMs);
    else await detours.during(name, passage, () => sleep(lastsMs));
    await untilWell(system, { dataDir, timeoutMs: wellTimeoutMs });
  };
