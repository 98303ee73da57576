import { startCluster, type Cluster } from '@causeway/postgres';
import { keepAlive } from './keep-alive.ts';
import type { Launching } from './launch.ts';
import { startSandboxBank, type BankProcess } from './sandbox-bank.ts';

/** A process that the services need, kept alive. */
export type Support = Readonly<{ url: string; pids(): Readonly<Record<string, number>>; stop(): Promise<void> }>;

type Restartable = Pick<Launching, 'settings'> & Readonly<{ onRestart(): void }>;

const keepDatabase = async ({ settings: { dataDir, databaseUrl }, onRestart }: Restartable): Promise<Support> => {
  if (databaseUrl !== undefined) return { url: databaseUrl, pids: () => ({}), stop: () => Promise.resolve() };
  const start = (before: Cluster | undefined): Promise<Cluster> =>
    startCluster({ dataDir, ...(before === undefined ? {} : { port: before.port }) });
  const { current, stop } = await keepAlive(start, onRestart);
  return { url: current().url, pids: () => ({ postgres: current().pid }), stop };
};

const keepBank = async ({ settings: { dataDir, sandboxBankPort }, onRestart }: Restartable): Promise<Support> => {
  const start = (before: BankProcess | undefined): Promise<BankProcess> =>
    startSandboxBank(dataDir, before?.port ?? sandboxBankPort);
  const { current, stop } = await keepAlive(start, onRestart);
  return { url: current().url, pids: () => ({ 'sandbox-bank': current().pid }), stop };
};

export type Children = Readonly<{
  /** As the owner of everything. */
  databaseUrl: string;
  sandboxBankUrl: string;
  pids(): Readonly<Record<string, number>>;
}>;

/** What runs beside the services, however these run. `onRestart`: one was started again and has another pid. */
export const startChildren = async ({ settings, closing }: Launching, onRestart: () => void): Promise<Children> => {
  const starting = [keepDatabase, keepBank].map((keep) => keep({ settings, onRestart }));
  // One that is still being started when all is to stop is waited for: nobody would know of it afterwards.
  starting.forEach((child) => closing(async () => (await child).stop()));
  const [database, bank] = (await Promise.all(starting)) as [Support, Support];
  const pids = () => ({ ...database.pids(), ...bank.pids() });
  return { databaseUrl: database.url, sandboxBankUrl: bank.url, pids };
};
