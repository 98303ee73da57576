import { freePort, startChild } from '@causeway/postgres';
import { environmentOfOthers } from '@causeway/settings';
import { execFile, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { defaultVersion, jarsOf } from './artifacts.ts';
import { endLeftover, keepPids } from './leftover.ts';
import { serverProperties, type Door } from './properties.ts';

/** One Apache Kafka broker, its own controller, as a process of its own. */
export type Broker = Readonly<{
  /** `host:port`. */
  address: string;
  port: number;
  pid: number;
  /** Resolves when the broker has ended, by whatever cause. */
  exited: Promise<void>;
  /** Ends it cleanly; by force when that takes longer: it reads its log at the next start, and nothing is lost. */
  stop(withinMs?: number): Promise<void>;
}>;

/** A broker to talk to, wherever it is from. */
export type OpenBroker = Readonly<{
  /** `host:port`, one or more with commas between. */
  brokers: string;
  /** Only when it is a process that was started here. */
  pid?: number;
  stop(): Promise<void>;
}>;

export type BrokerOptions = Readonly<{
  /** Holds `kafka/` (the data), `kafka.properties`, `kafka.pid` and `kafka.log`. Started on it again, it is the same broker. */
  dataDir: string;
  /** On loopback; a free one when left out. */
  port?: number;
  /** `3.9`, `4`, or a full release. */
  version?: string;
  doors?: readonly Door[];
  settings?: Readonly<Record<string, string>>;
  /** Ends the broker amid its start. */
  signal?: AbortSignal;
}>;

const startTimeoutMs = 60_000;
const stopTimeoutMs = 20_000;
const heapMaxMb = 512;
const startedLine = 'Kafka Server started';

const formatted = async (data: string, jars: string, properties: string): Promise<void> => {
  if (existsSync(join(data, 'meta.properties'))) return;
  const clusterId = randomBytes(16).toString('base64url');
  const tool = ['-cp', `${jars}/*`, '-XX:TieredStopAtLevel=1', 'kafka.tools.StorageTool', 'format'];
  const args = [...tool, `--cluster-id=${clusterId}`, '-c', properties, '--ignore-formatted'];
  await promisify(execFile)('java', args, { env: environmentOfOthers(process.env) });
};

const untilStarted = async (
  broker: ChildProcess,
  { log, from, signal }: Readonly<{ log: string; from: number; signal: AbortSignal | undefined }>,
): Promise<void> => {
  const deadline = Date.now() + startTimeoutMs;
  while (!readFileSync(log).subarray(from).includes(startedLine)) {
    signal?.throwIfAborted();
    if (broker.exitCode !== null || broker.signalCode !== null || Date.now() > deadline) {
      throw new Error(`Apache Kafka did not start; see ${log}`);
    }
    await sleep(50);
  }
};

const heap = [`-Xmx${heapMaxMb}m`, '-Xms128m', '-XX:+UseSerialGC', '-Xshare:auto'];

/** Starts the broker on the folder's data, made at the first start; resolves when it serves. `NoBroker` where one is in use. */
export const startBroker = async (options: BrokerOptions): Promise<Broker> => {
  const dataDir = resolve(options.dataDir);
  const [data, properties, pidFile, log] = ['kafka', 'kafka.properties', 'kafka.pid', 'kafka.log'].map((name) =>
    join(dataDir, name),
  ) as [string, string, string, string];
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const jars = await jarsOf(options.version ?? process.env['CAUSEWAY_KAFKA_VERSION'] ?? defaultVersion);
  await endLeftover(pidFile, properties);

  const port = options.port ?? (await freePort());
  const controllerPort = await freePort();
  const place = { data, port, controllerPort, ...(options.doors && { doors: options.doors }) };
  writeFileSync(properties, serverProperties(place, options.settings), { mode: 0o600 });
  await formatted(data, jars, properties);
  const from = existsSync(log) ? statSync(log).size : 0;
  const broker = startChild('java', [...heap, '-cp', `${jars}/*`, 'kafka.Kafka', properties], { log });
  const { pid, exited } = broker;
  keepPids(pidFile, pid);
  await untilStarted(broker.process, { log, from, signal: options.signal }).catch(async (error: unknown) => {
    await broker.stop(0);
    throw error;
  });

  const stop = async (withinMs = stopTimeoutMs): Promise<void> => {
    await broker.stop(withinMs);
    rmSync(pidFile, { force: true });
  };
  return { address: `127.0.0.1:${port}`, port, pid, exited, stop };
};
