import { openPool } from '@causeway/postgres';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { takenOnce, type Measured, type Measurement } from './measurement.ts';
import { newConnection, onOwnSystem, untilSynced, type Bench } from './synced-system.ts';

const windowMs = 30_000;
/** After the sync, for what it leaves to be done. */
const settleMs = 20_000;
/** What Linux counts a process's time in. */
const ticksPerSecond = 100;

type Times = Readonly<{ parent: number; ownTicks: number; endedChildrenTicks: number }>;

/** Undefined: it has ended. */
const timesOf = (pid: string | number): Times | undefined => {
  try {
    // After the name, which may hold anything: state, parent, …
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number);
    return { parent: Number(fields[1]), ownTicks: user + system, endedChildrenTicks: childUser + childSystem };
  } catch {
    return undefined;
  }
};

/** Processor time so far of the one process and of PostgreSQL: its server, its sessions, and those that have ended. */
const ticksOf = ({ system: { processes } }: Bench): number => {
  const server = timesOf(processes['postgres'] ?? 0);
  const sessions = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(timesOf)
    .filter((times) => times?.parent === processes['postgres']);
  const all = [timesOf(processes['standalone'] ?? 0), server, ...sessions];
  return all.reduce((sum, times) => sum + (times?.ownTicks ?? 0), server?.endedChildrenTicks ?? 0);
};

const coresIdle = async (bench: Bench): Promise<number> => {
  const [before, began] = [ticksOf(bench), performance.now()];
  await sleep(windowMs);
  return (ticksOf(bench) - before) / ticksPerSecond / ((performance.now() - began) / 1000);
};

/** Statements of all sessions, as PostgreSQL's log tells them. */
const statementsIdle = async ({ url, dataDir }: Bench): Promise<number> => {
  const admin = openPool({ url, applicationName: 'bench', connectionsMax: 1 });
  const log = join(dataDir, 'postgres.log');
  const setLog = async (what: string): Promise<void> => {
    await admin.query(`ALTER SYSTEM SET log_statement = '${what}'`);
    await admin.query('SELECT pg_reload_conf()');
    await sleep(1000);
  };
  try {
    await setLog('all');
    const from = statSync(log).size;
    await sleep(windowMs);
    const logged = readFileSync(log).subarray(from).toString();
    return (logged.match(/LOG: {2}(statement|execute [^:]*):/g) ?? []).length / (windowMs / 1000);
  } finally {
    await setLog('none');
    await admin.end();
  }
};

const bothFigures = takenOnce(({ rows, pairs }) =>
  onOwnSystem({ rows }, async (bench): Promise<Readonly<{ cores: Measured; statements: Measured }>> => {
    await untilSynced(bench.system, await newConnection(bench.system, 'sandbox-large'), undefined);
    await sleep(settleMs);
    const [cores, statements]: [number[], number[]] = [[], []];
    for (let pair = 0; pair < pairs; pair++) {
      cores.push(await coresIdle(bench));
      statements.push(await statementsIdle(bench));
    }
    return { cores: { ours: cores, baseline: null }, statements: { ours: statements, baseline: null } };
  }),
);

export const idleCoresBench: Measurement = {
  id: 'P17a',
  name: 'idle after a sync: the one process and PostgreSQL',
  unit: 'cores',
  target: 0.03,
  floor: 0.15,
  lessIsBetter: true,
  run: async (options) => (await bothFigures(options)).cores,
};

export const idleStatementsBench: Measurement = {
  id: 'P17b',
  name: 'idle after a sync: SQL statements of all sessions',
  unit: 'statements/s',
  target: 20,
  floor: 130,
  lessIsBetter: true,
  run: async (options) => (await bothFigures(options)).statements,
};
