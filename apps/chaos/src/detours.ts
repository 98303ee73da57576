import { services } from '@causeway/settings';
import { freePort } from '@causeway/postgres';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProxy, type Passage, type Proxy } from './proxy.ts';

type Detour = Readonly<{ service: string; database: Proxy; broker: Proxy; listen: number }>;

/** Proxies of ours between each service and its database and broker. */
export type Detoured = Readonly<{
  /** Where the system is told of them. */
  env: Readonly<Record<string, string>>;
  /** `name`: a service, which is cut off from everything; or `broker` or `postgres`, from which everybody is. */
  during(name: string, passage: Passage, work: () => Promise<unknown>): Promise<void>;
  close(): void;
}>;

/**
 * The fourth line of its lock: the server may get another port when the whole system starts again. Undefined between a
 * kill and the next start, while there is no lock or not all of it.
 */
const databasePort = (dataDir: string): number | undefined => {
  const lock = join(dataDir, 'postgres', 'postmaster.pid');
  try {
    return Number(readFileSync(lock, 'utf8').split('\n')[3]) || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
};

const detourOf = async (service: string, dataDir: string): Promise<Detour> => {
  const listen = await freePort();
  const [database, broker] = await Promise.all([startProxy(() => databasePort(dataDir)), startProxy(() => listen)]);
  return { service, database, broker, listen };
};

const proxiesOf = (detours: readonly Detour[], name: string): readonly Proxy[] => {
  if (name === 'broker') return detours.map(({ broker }) => broker);
  if (name === 'postgres') return detours.map(({ database }) => database);
  return detours.filter(({ service }) => service === name).flatMap(({ database, broker }) => [database, broker]);
};

export const startDetours = async (dataDir: string): Promise<Detoured> => {
  const detours = await Promise.all(services.map((service) => detourOf(service, dataDir)));
  const told = detours.map(({ service, database, broker, listen }) => [
    service,
    { database: database.port, broker: { through: broker.port, listen } },
  ]);
  const during: Detoured['during'] = async (name, passage, work) => {
    const proxies = proxiesOf(detours, name);
    try {
      proxies.forEach((proxy) => proxy.set(passage));
      await work();
    } finally {
      proxies.forEach((proxy) => proxy.set('open'));
    }
  };
  return {
    env: { CAUSEWAY_DETOURS: JSON.stringify(Object.fromEntries(told)) },
    during,
    close: () => detours.forEach(({ database, broker }) => [database, broker].forEach((proxy) => proxy.close())),
  };
};
