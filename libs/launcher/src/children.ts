import { startCluster, type Cluster } from '@causeway/postgres';
import { secretsIn, type SecretRing } from '@causeway/settings';
import { keepAlive } from './keep-alive.ts';
import type { Launching } from './launch.ts';
import { allSecrets, type AllSecrets } from './secrets.ts';
import { startSandboxBank, type BankProcess } from './sandbox-bank.ts';

/** A process that the services need, kept alive. `url`: where it is. */
export type Support = Readonly<{
  url: string;
  pids(): Readonly<Record<string, number>>;
  stop(withinMs: number): Promise<void>;
}>;

/** `onRestart`: one was started again and has another pid. */
type Keep = Pick<Launching, 'settings' | 'signal'> & Readonly<{ onRestart(): void }>;

/** It runs, and is left running. */
const given = (url: string): Support => ({ url, pids: () => ({}), stop: () => Promise.resolve() });

const keepDatabase = async ({ settings: { dataDir, databaseUrl }, ...keeping }: Keep): Promise<Support> => {
  if (databaseUrl !== undefined) return given(databaseUrl);
  const { signal } = keeping;
  const start = (before: Cluster | undefined): Promise<Cluster> =>
    startCluster({ dataDir, signal, ...(before === undefined ? {} : { port: before.port }) });
  const { current, stop } = await keepAlive(start, keeping);
  return { url: current().url, pids: () => ({ postgres: current().pid }), stop };
};

const keepBank = async ({ settings, ...keeping }: Keep): Promise<Support> => {
  const { dataDir, sandboxBankPort, sandboxBankUrl } = settings;
  if (sandboxBankUrl !== undefined) return given(sandboxBankUrl);
  const start = (before: BankProcess | undefined): Promise<BankProcess> =>
    startSandboxBank(dataDir, before?.port ?? sandboxBankPort, keeping.signal);
  const { current, stop } = await keepAlive(start, keeping);
  return { url: current().url, pids: () => ({ 'sandbox-bank': current().pid }), stop };
};

export type Children = Readonly<{
  secrets: AllSecrets;
  /** Of the demo organization's keys, which a database of others has none of. */
  demoSecrets: SecretRing | undefined;
  /** As the owner of everything. */
  databaseUrl: string;
  sandboxBankUrl: string;
  pids(): Readonly<Record<string, number>>;
}>;

/** What runs beside the services, however these run: the database, the bank, and `others`. They stop together. */
export const startChildren = async (
  { settings, signal, closing }: Launching,
  onRestart: () => void,
  others: readonly Promise<Support>[] = [],
): Promise<Children> => {
  const keep = { settings, signal, onRestart };
  const database = keepDatabase(keep);
  // The bank writes what a start that is refused must not have written.
  const secrets = database.then(({ url }) => allSecrets(settings, url));
  const bank = secrets.then(() => keepBank(keep));
  const starting = [database, bank, ...others];
  closing(async (withinMs) => {
    // One that is still being started ends with the signal.
    const started = (await Promise.allSettled(starting)).flatMap((child) => ('value' in child ? [child.value] : []));
    await Promise.all(started.map((child) => child.stop(withinMs)));
  });
  const all = await Promise.all(starting);
  const pids = () => Object.fromEntries(all.flatMap((child) => Object.entries(child.pids())));
  const texts = await secrets;
  return {
    ...{ databaseUrl: (await database).url, sandboxBankUrl: (await bank).url, secrets: texts, pids },
    demoSecrets: settings.databaseUrl === undefined ? secretsIn(texts, 'CAUSEWAY_API_KEY_SECRET') : undefined,
  };
};
