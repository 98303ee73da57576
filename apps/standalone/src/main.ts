import { deadLetterMigrations, inProcessBroker, postgresDeadLetters } from '@causeway/messaging-in-process';
import { migrate, openPool } from '@causeway/postgres';
import { stopOnSignal } from '@causeway/service';
import type { Environment } from '@causeway/settings';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startChildren, type Children } from './children.ts';
import { standaloneConfig, type StandaloneConfig } from './config.ts';
import {
  AlreadyRunning,
  keptMasterKey,
  lockDataDir,
  readJson,
  writeJson,
  type DevFile,
  type RuntimeFile,
} from './data-dir.ts';
import { demoKeys, demoOrganization } from './demo-keys.ts';
import { startSystem, type Running } from './services.ts';

const busSchema = 'bus';

/** Tried in turn at the end, whatever became of the ones before. */
const closing: (() => Promise<unknown>)[] = [];

const closeAll = async (): Promise<void> => {
  const failures: unknown[] = [];
  for (const close of closing.splice(0).reverse()) await close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'not everything closed cleanly');
};

const openBus = async (databaseUrl: string) => {
  await migrate(databaseUrl, busSchema, deadLetterMigrations(busSchema));
  const pool = openPool({ url: databaseUrl, applicationName: 'bus', connectionsMax: 2 });
  closing.push(() => pool.end());
  const broker = inProcessBroker({ deadLetters: postgresDeadLetters(pool, busSchema) });
  return broker;
};

const banner = ({ baseUrl, sandboxBankUrl, testKey }: DevFile): string => `
Causeway       ${baseUrl}
Sandbox bank   ${sandboxBankUrl}
Test key       ${testKey}

Connect a bank, then read what it says:

curl -s -X POST ${baseUrl}/v1/connections -H 'Authorization: Bearer ${testKey}' -H 'Content-Type: application/json' -d '{"institutionId":"sandbox-instant"}'
curl -s '${baseUrl}/v1/transactions?limit=3' -H 'Authorization: Bearer ${testKey}'
curl -s '${baseUrl}/v1/balances?limit=3' -H 'Authorization: Bearer ${testKey}'
`;

type Told = Readonly<{ config: StandaloneConfig; children: Children; running: Running }>;

/** What tools read: complete before the system first says that it is ready. */
const tell = async ({ config, children, running }: Told, masterKey: string): Promise<() => void> => {
  const { dataDir } = config;
  const runtime: RuntimeFile = { databaseUrl: children.databaseUrl, eventStore: config.eventStore, masterKey };
  writeJson(dataDir, 'runtime.json', runtime);
  const before = readJson<Partial<DevFile>>(dataDir, 'dev.json') ?? {};
  const keys = await demoKeys(runtime, before);
  const write = (): DevFile => {
    const dev: DevFile = {
      baseUrl: running.baseUrl,
      sandboxBankUrl: children.sandboxBankUrl,
      organization: demoOrganization,
      ...keys,
      fileDropDir: join(dataDir, 'file-drop'),
      processes: { standalone: process.pid, ...children.pids() },
    };
    writeJson(dataDir, 'dev.json', dev);
    return dev;
  };
  const dev = write();
  process.stdout.write(banner(dev));
  return write;
};

const start = async (config: StandaloneConfig): Promise<void> => {
  const unlock = lockDataDir(config.dataDir);
  closing.push(async () => unlock());
  let rewrite: () => void = () => undefined;
  const children = await startChildren(config, () => rewrite());
  closing.push(children.stopDatabase, children.stopBank);
  const fileDropDir = join(config.dataDir, 'file-drop');
  mkdirSync(fileDropDir, { recursive: true });
  const masterKey = config.masterKey ?? keptMasterKey(config.dataDir);
  const env: Environment = {
    ...process.env,
    CAUSEWAY_DATABASE_URL: children.databaseUrl,
    CAUSEWAY_MASTER_KEY: masterKey,
    CAUSEWAY_SANDBOX_BANK_URL: children.sandboxBankUrl,
    CAUSEWAY_FILE_DROP_DIR: fileDropDir,
  };
  const broker = await openBus(children.databaseUrl);
  const running = await startSystem(env, broker);
  closing.push(running.close);
  rewrite = await tell({ config, children, running }, masterKey);
  running.announce();
};

stopOnSignal(closeAll);
try {
  await start(standaloneConfig(process.env));
} catch (error) {
  process.stderr.write(error instanceof AlreadyRunning ? `${error.message}\n` : `${(error as Error).stack}\n`);
  await closeAll().catch(() => undefined);
  process.exit(1);
}
