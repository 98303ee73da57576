import { newSecret, secretRing, secretSettings, services, type SecretRing } from '@causeway/settings';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** How the system runs in this test run: in one process as `npm start`, or in five as `npm run start:distributed`. */
const isDistributed = process.env['CAUSEWAY_TEST_SYSTEM'] === 'distributed';

/** What `processes` names. */
export const systemProcesses: readonly string[] = [
  ...(isDistributed ? [...services, 'broker'] : ['standalone']),
  'postgres',
  'sandbox-bank',
];

/** The whole system, told apart from its neighbours by its data directory. */
export type System = Readonly<{
  baseUrl: string;
  sandboxBankUrl: string;
  testKey: string;
  liveKey: string;
  organization: string;
  fileDropDir: string;
  processes: Readonly<Record<string, number>>;
  /** SIGTERM, or the other; the exit status. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** kill -9 of the process that was started; what it started is left to itself. */
  kill(): Promise<void>;
}>;

export type SystemOptions = Readonly<{
  dataDir: string;
  env?: Readonly<Record<string, string>>;
  /** What its processes say, those apart that have logs of their own. */
  onOutput?: (said: Buffer) => void;
  /** As the test run says when left out. */
  distributed?: boolean;
}>;

const readyTimeoutMs = 150_000;
const root = process.cwd();
const starterOf = (distributed: boolean): string =>
  join(root, 'tools', distributed ? 'start-distributed.mjs' : 'start.mjs');

type Dev = Omit<System, 'stop' | 'kill'>;

const testSecret = '07'.repeat(32);

/** A system on a database that is given must be given its secrets, too. */
export const testSecrets: Readonly<Record<string, string>> = Object.fromEntries(
  secretSettings.map((name) => [name, name.endsWith('_KEYS') ? newSecret(name) : testSecret]),
);
export const testMasterKeys: SecretRing = secretRing(testSecrets, 'CAUSEWAY_MASTER_KEY');
export const testCursorSecrets: SecretRing = secretRing(testSecrets, 'CAUSEWAY_CURSOR_SECRET');

/** What the file says, if it was written since. */
const readDev = (dataDir: string, sinceMs = 0): Dev | undefined => {
  const path = join(dataDir, 'dev.json');
  const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;
  return written < sinceMs ? undefined : (JSON.parse(readFileSync(path, 'utf8')) as Dev);
};

const isReady = async (dev: Dev): Promise<boolean> =>
  fetch(`${dev.baseUrl}/readyz`, { signal: AbortSignal.timeout(2000) })
    .then((answer) => answer.status === 200)
    .catch(() => false);

const untilReady = async (dataDir: string, child: ChildProcess, said: () => string): Promise<Dev> => {
  const began = Date.now();
  for (const deadline = began + readyTimeoutMs; Date.now() < deadline; await sleep(50)) {
    const ended = child.exitCode ?? child.signalCode;
    if (ended !== null) throw new Error(`the system ended (${ended}) before it was ready:\n${said()}`);
    const dev = readDev(dataDir, began);
    if (dev !== undefined && (await isReady(dev))) return dev;
  }
  throw new Error(`the system was not ready after ${readyTimeoutMs} ms:\n${said()}`);
};

/** A system that is not ready yet. It may be stopped all the same. */
export type Starting = Pick<System, 'stop' | 'kill'> & Readonly<{ pid: number; ready: Promise<System> }>;

/** Starts the system, on any free ports when it is not told others. Run from the project's root, as npm does. */
export const beginSystem = (options: SystemOptions): Starting => {
  const { dataDir, env = {}, distributed = isDistributed } = options;
  const ports = { CAUSEWAY_PORT: '0', CAUSEWAY_SANDBOX_BANK_PORT: '0' };
  const given = env['CAUSEWAY_DATABASE_URL'] === undefined ? {} : testSecrets;
  const child = spawn(process.execPath, [starterOf(distributed)], {
    cwd: root,
    env: { ...process.env, ...ports, ...given, ...env, CAUSEWAY_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const keep = (chunk: Buffer): void => {
    options.onOutput?.(chunk);
    said = (said + chunk.toString()).slice(-20_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  const ends = {
    stop: (signal: NodeJS.Signals = 'SIGTERM') => end(signal),
    kill: async () => void (await end('SIGKILL')),
  };
  const ready = untilReady(dataDir, child, () => said).then((dev) => ({ ...dev, ...ends }));
  return { pid: child.pid ?? 0, ready, ...ends };
};

type KeyOptions = Readonly<{ organization?: string; environment?: string; scopes?: readonly string[] }>;

const madeKey = async (
  env: NodeJS.ProcessEnv,
  { organization = 'demo', environment = 'test', scopes = ['all'] }: KeyOptions,
): Promise<string> => {
  const words = ['keys', 'create', '--organization', organization, '--environment', environment];
  const allowed = scopes.flatMap((scope) => ['--scope', scope]);
  const args = [join(root, 'tools', 'causeway.mjs'), ...words, ...allowed, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return (JSON.parse(stdout) as { key: string }).key;
};

/** A key of a running system that has its database with it, made on the command line. */
export const issueKey = (dataDir: string, options: KeyOptions): Promise<string> =>
  madeKey({ ...process.env, CAUSEWAY_DATA_DIR: dataDir }, options);

/** On a database that is given there are no demo keys. */
const madeKeys = async (dataDir: string, given: SystemOptions['env']) => {
  const env = { ...process.env, ...testSecrets, ...given, CAUSEWAY_DATA_DIR: dataDir };
  const testKey = await madeKey(env, {});
  return { organization: 'demo', testKey, liveKey: await madeKey(env, { environment: 'live' }) };
};

/** Starts the system and waits until it is ready. */
export const startSystem = async (options: SystemOptions): Promise<System> => {
  const { ready, stop } = beginSystem(options);
  const { dataDir, env } = options;
  const isGiven = env?.['CAUSEWAY_DATABASE_URL'] !== undefined;
  const keyed = isGiven ? ready.then(async (system) => ({ ...system, ...(await madeKeys(dataDir, env)) })) : ready;
  return keyed.catch(async (error: Error) => {
    await stop();
    throw error;
  });
};

/** Ends what a killed system left behind, and removes its data. */
export const discardSystem = (dataDir: string): void => {
  const dev = readDev(dataDir);
  for (const pid of Object.values(dev?.processes ?? {})) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
};
