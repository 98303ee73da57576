import { fileDropDirOf, keptMasterKey, launch, startChildren, tell, type Launching } from '@causeway/launcher';
import {
  deadLetterMigrations,
  inProcessBroker,
  postgresDeadLetters,
  retryLetters,
} from '@causeway/messaging-in-process';
import { migrate, openPool } from '@causeway/postgres';
import type { Environment } from '@causeway/settings';
import { mkdirSync } from 'node:fs';
import { startSystem } from './services.ts';

const busSchema = 'bus';

const openBus = async (databaseUrl: string, { closing }: Launching) => {
  await migrate(databaseUrl, busSchema, deadLetterMigrations(busSchema));
  const pool = openPool({ url: databaseUrl, applicationName: 'bus', connectionsMax: 2 });
  closing(() => pool.end());
  const deadLetters = postgresDeadLetters(pool, busSchema);
  const broker = inProcessBroker({ deadLetters });
  const stop = new AbortController();
  const retrying = retryLetters(broker, deadLetters, stop.signal);
  closing(() => {
    stop.abort();
    return retrying;
  });
  return broker;
};

await launch(async (launching) => {
  const { settings, closing, signal } = launching;
  const { dataDir, eventStore } = settings;
  let rewrite: () => void = () => undefined;
  const children = await startChildren(launching, () => rewrite());
  signal.throwIfAborted();
  const { databaseUrl, sandboxBankUrl } = children;
  const fileDropDir = fileDropDirOf(dataDir);
  mkdirSync(fileDropDir, { recursive: true });
  const masterKey = settings.masterKey ?? keptMasterKey(dataDir);
  const env: Environment = {
    ...process.env,
    CAUSEWAY_DATABASE_URL: databaseUrl,
    CAUSEWAY_MASTER_KEY: masterKey,
    CAUSEWAY_SANDBOX_BANK_URL: sandboxBankUrl,
    CAUSEWAY_FILE_DROP_DIR: fileDropDir,
  };
  const running = await startSystem(env, await openBus(databaseUrl, launching));
  closing(running.close);
  const pids = () => ({ standalone: process.pid, ...children.pids() });
  const { baseUrl } = running;
  const told = await tell({ dataDir, baseUrl, sandboxBankUrl, pids }, { databaseUrl, eventStore, masterKey });
  rewrite = told.rewrite;
  told.sayHello();
  running.announce();
});
