import { beginSystem, startSystem, type Starting } from '@causeway/testing';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bankControl } from './api.ts';
import { pidOf } from './processes.ts';
import type { Random } from '@causeway/testing';
import type { Fault, Running, Site } from './world.ts';

const moments = ['under load', 'amid start', 'amid healing', 'amid takeover'] as const;
const signals = ['SIGTERM', 'SIGINT'] as const;
const everything = 'SIGKILL of everything';

/** Ends of the whole system, as they are counted. */
export const stops: readonly string[] = [
  ...moments.flatMap((moment) => signals.map((signal) => `${signal} ${moment}`)),
  everything,
];

/** Whatever the seed, each next one goes on with the kinds. */
export const stopOf = (seed: number, random: Random): Fault => ({
  target: stops[seed % stops.length] as string,
  at: random.below(2500),
});

/** After 9.5 s it ends by force, and not with 0; how long a machine at its limit takes to hear of a signal is on top. */
const stopTimeoutMs = 15_000;
/** Longer than a stop takes. */
const slowBankSeconds = 12;
const healingMs = 1500;
/** Five processes take longer. */
const startMs = { standalone: 3000, distributed: 15_000 };

const textOf = (pid: number, file: 'cmdline' | 'environ'): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

/** The processes that run with this data directory in their environment. */
const processesOf = (dataDir: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => textOf(pid, 'cmdline') !== '')
    .filter((pid) => textOf(pid, 'environ').split('\0').includes(`CAUSEWAY_DATA_DIR=${dataDir}`));

const killAll = (pids: readonly number[]): void =>
  pids.forEach((pid) => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended with another.
    }
  });

type Stopping = Readonly<{
  system: Pick<Starting, 'stop'> & Partial<Pick<Starting, 'pid'>>;
  dataDir: string;
  signal: NodeJS.Signals;
  /** Of one that was killed: a start that is stopped before it got to them leaves them to the next. */
  others?: readonly number[];
}>;

/** Before a program's first line, a signal ends it as it ends any other: nothing of ours can see to the status. */
const hasBegun = ({ system: { pid }, dataDir }: Stopping): boolean => {
  const lock = join(dataDir, 'causeway.pid');
  return pid === undefined || (existsSync(lock) && readFileSync(lock, 'utf8') === String(pid));
};

/** Status 0 within 10 s, and nothing left running. */
const endCleanly = async (stopping: Stopping): Promise<void> => {
  const { system, dataDir, signal, others = [] } = stopping;
  const began = performance.now();
  const status = await Promise.race([system.stop(signal), sleep(stopTimeoutMs, 'nothing')]);
  const pids = processesOf(dataDir).filter((pid) => !others.includes(pid));
  const left = pids.map((pid) => textOf(pid, 'cmdline').replaceAll('\0', ' ').slice(0, 80));
  const isClean = status === 0 || (status === null && !hasBegun(stopping));
  if (isClean && left.length === 0) return;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  throw new Error(
    `${signal} ended the system with ${status} after ${seconds} s; left: ${left.join(', ') || 'nothing'}`,
  );
};

/** From here on every answer of the bank takes seconds, so that the stop comes while something waits for it. */
const slowBank = async ({ system }: Running, { told }: Site, random: Random): Promise<void> => {
  const bank = bankControl(system.sandboxBankUrl);
  const slow = { seconds: slowBankSeconds };
  await Promise.all([...told.connections].map((id) => bank.scenario(id, 'slow', slow)));
  await sleep(random.below(1500));
};

/** Ends the system as the target says, and starts it again. */
const stopping =
  (running: Running, site: Site, random: Random) =>
  async ({ target }: Fault): Promise<void> => {
    const { dataDir } = site;
    const signal = target.split(' ')[0] as NodeJS.Signals;
    await slowBank(running, site, random);
    /** Stops a start, wherever it is. */
    const stopStart = async (): Promise<void> => {
      const others = processesOf(dataDir);
      const system = beginSystem(site);
      system.ready.catch(() => undefined);
      await sleep(random.below(site.distributed ? startMs.distributed : startMs.standalone));
      await endCleanly({ system, dataDir, signal, others });
    };
    const end = (): Promise<void> => endCleanly({ system: running.system, dataDir, signal });
    if (target === everything) killAll(processesOf(dataDir));
    else if (target.endsWith('load')) await end();
    else if (target.endsWith('start')) await end().then(stopStart);
    else if (target.endsWith('takeover')) await running.system.kill().then(stopStart);
    else {
      process.kill(pidOf(dataDir, 'postgres'), 'SIGKILL');
      await sleep(random.below(healingMs));
      await end();
    }
    running.system = await startSystem(site);
  };

/** Ends the whole where that is the target; else strikes as ever. */
export const orStopping = <F extends Fault>(
  strike: (fault: F) => Promise<void>,
  ...[running, site, random]: Parameters<typeof stopping>
): ((fault: F) => Promise<void>) => {
  const stop = stopping(running, site, random);
  return (fault) => (stops.includes(fault.target) ? stop(fault) : strike(fault));
};
