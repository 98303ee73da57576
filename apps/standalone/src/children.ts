import { startCluster } from '@causeway/postgres';
import type { StandaloneConfig } from './config.ts';
import { readJson, stopLeftover, type DevFile } from './data-dir.ts';
import { keepAlive } from './keep-alive.ts';
import { startSandboxBank } from './sandbox-bank.ts';

/** What runs beside the one process. `onChange`: one of them was started again and has another pid. */
export type Children = Readonly<{
  databaseUrl: string;
  sandboxBankUrl: string;
  pids(): Readonly<{ postgres?: number; 'sandbox-bank': number }>;
  stopBank(): Promise<void>;
  stopDatabase(): Promise<void>;
}>;

type Database = Readonly<{ url: string; pid(): number | undefined; stop(): Promise<void> }>;

const startDatabase = async ({ dataDir, databaseUrl }: StandaloneConfig, onChange: () => void): Promise<Database> => {
  if (databaseUrl !== undefined) return { url: databaseUrl, pid: () => undefined, stop: () => Promise.resolve() };
  let pid: number;
  const start = (port: number | undefined) => startCluster({ dataDir, ...(port === undefined ? {} : { port }) });
  const { first, stop } = await keepAlive(start, (restarted) => {
    pid = restarted.pid;
    onChange();
  });
  pid = first.pid;
  return { url: first.url, pid: () => pid, stop };
};

/** The bank that an earlier run left behind holds the port and the journal: it is ended before another starts. */
export const startChildren = async (config: StandaloneConfig, onChange: () => void): Promise<Children> => {
  const before = readJson<DevFile>(config.dataDir, 'dev.json');
  await stopLeftover(before?.processes['sandbox-bank'], 'sandbox-bank');
  const startBank = (port: number | undefined) => startSandboxBank(config.dataDir, port ?? config.sandboxBankPort);
  let bankPid = 0;
  const [database, bank] = await Promise.all([
    startDatabase(config, onChange),
    keepAlive(startBank, ({ pid }) => {
      bankPid = pid;
      onChange();
    }),
  ]);
  bankPid = bank.first.pid;
  const pids = (): ReturnType<Children['pids']> => {
    const postgres = database.pid();
    return { ...(postgres === undefined ? {} : { postgres }), 'sandbox-bank': bankPid };
  };
  const { url: databaseUrl, stop: stopDatabase } = database;
  return { databaseUrl, sandboxBankUrl: bank.first.url, pids, stopBank: bank.stop, stopDatabase };
};
