import { services } from '@causeway/settings';
import { freePort } from '@causeway/postgres';
import type { System } from '@causeway/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Balancer } from './balancer.ts';
import type { Fault } from './world.ts';
import { pidOf, untilWell } from './processes.ts';

const replicasMax = 3;
const readyTimeoutMs = 60_000;
/** A service ends within 10 s of SIGTERM. */
const endTimeoutMs = 10_000;
/** For the load to meet what has changed. */
const settleMs = 2000;

const steps = ['start', 'roll', 'end'] as const;
type Step = (typeof steps)[number];

/** One → three → one of every service, and in between those that were there first are restarted one after the other. */
export const replicasPlan: readonly Fault[] = steps.flatMap((step) =>
  services.map((service) => ({ target: `${step} ${service}`, at: settleMs })),
);

type Replica = Readonly<{ child: ChildProcess; port: number }>;

/** The settings of the process that runs, but for its ports. Linux tells them. */
const settingsOf = (pid: number): NodeJS.ProcessEnv =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

const untilReady = async (service: string, healthPort: number, child: ChildProcess): Promise<void> => {
  for (const deadline = Date.now() + readyTimeoutMs; Date.now() < deadline; await sleep(50)) {
    if (child.exitCode !== null)
      throw new Error(`a second ${service} ended with ${child.exitCode} before it was ready`);
    const isReady = await fetch(`http://127.0.0.1:${healthPort}/readyz`, { signal: AbortSignal.timeout(2000) })
      .then(({ status }) => status === 200)
      .catch(() => false);
    if (isReady) return;
  }
  throw new Error(`a second ${service} was not ready after ${readyTimeoutMs} ms`);
};

const startReplica = async (service: string, pid: number): Promise<Replica> => {
  const [port, healthPort] = [await freePort(), await freePort()];
  const ports = { CAUSEWAY_PORT: String(port), CAUSEWAY_HEALTH_PORT: String(healthPort) };
  const program = `dist/apps/${service}/main.js`;
  const child = spawn(process.execPath, [program], { env: { ...settingsOf(pid), ...ports }, stdio: 'ignore' });
  await untilReady(service, healthPort, child);
  return { child, port };
};

/** It has to end by itself, in time and without a fault. */
const endReplica = async (service: string, { child }: Replica): Promise<void> => {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const status = await Promise.race([ended.then(([code]) => code as number | null), sleep(endTimeoutMs, 'late')]);
  if (status === 0) return;
  child.kill('SIGKILL');
  throw new Error(`SIGTERM ended a ${service} with ${status}`);
};

type Site = Readonly<{ dataDir: string; balancer: Balancer }>;

export type Replicas = Readonly<{ strike(fault: Fault): Promise<void>; close(): void }>;

export const replicasOf = async (system: System, { dataDir, balancer }: Site): Promise<Replicas> => {
  const more = new Map<string, Replica[]>(services.map((service) => [service, []]));
  await balancer.add(Number(new URL(system.baseUrl).port));

  const does: Record<Step, (service: string) => Promise<void>> = {
    start: async (service) => {
      const replicas = more.get(service) ?? [];
      while (replicas.length + 1 < replicasMax) {
        const replica = await startReplica(service, pidOf(dataDir, service));
        replicas.push(replica);
        if (service === 'gateway') await balancer.add(replica.port);
      }
    },
    roll: async (service) => {
      const pid = pidOf(dataDir, service);
      process.kill(pid, 'SIGTERM');
      await untilWell(system, { dataDir, timeoutMs: readyTimeoutMs, killed: [service, pid] });
    },
    end: async (service) => {
      for (const replica of more.get(service)?.splice(0) ?? []) await endReplica(service, replica);
    },
  };
  return {
    strike: ({ target }) => {
      const [step, service] = target.split(' ') as [Step, string];
      return does[step](service);
    },
    close: () => [...more.values()].flat().forEach(({ child }) => child.kill('SIGKILL')),
  };
};
