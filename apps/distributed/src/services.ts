import { freePort } from '@causeway/postgres';
import { keepAlive, startApp, type AppProcess, type Kept, type Launching } from '@causeway/launcher';
import { environmentOf, servicesBehind } from '@causeway/settings';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '@causeway/concurrency';

export const gateway = 'gateway';

const readyTimeoutMs = 120_000;
const pollMs = 50;
type Environment = Readonly<Record<string, string>>;

type Running = Readonly<{ name: string; healthPort: number; kept: Kept<AppProcess> }>;

export type Services = Readonly<{
  baseUrl: string;
  pids(): Readonly<Record<string, number>>;
}>;

export type ServicesOptions = Readonly<{
  dataDir: string;
  port: number;
  envOf(service: string): Environment;
  onRestart(): void;
}>;

const logOf = (dataDir: string, service: string): string => join(dataDir, 'logs', `${service}.log`);

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    ({ status }) => status === 200,
    () => false,
  );

type Asking = Readonly<{ dataDir: string; signal: AbortSignal }>;

/** Resolves at the first 200. A service that keeps dying, or never gets there, is told where it says why. */
const untilAnswers = async (url: string, service: string, { dataDir, signal }: Asking): Promise<void> => {
  for (
    const deadline = Date.now() + readyTimeoutMs;
    Date.now() < deadline;
    await sleep(pollMs, undefined, { signal })
  ) {
    if (await answers(url)) return;
  }
  throw new Error(`${service} was not ready after ${readyTimeoutMs} ms; see ${logOf(dataDir, service)}`);
};

const startService = async (
  name: string,
  { dataDir, envOf, onRestart }: ServicesOptions,
  signal: AbortSignal,
): Promise<Running> => {
  const healthPort = await freePort();
  const start = async (): Promise<AppProcess> => {
    const env = {
      ...environmentOf([name], { ...process.env, ...envOf(name) }),
      CAUSEWAY_HEALTH_PORT: String(healthPort),
    };
    return startApp({ app: name, dataDir, env, log: logOf(dataDir, name) });
  };
  return { name, healthPort, kept: await keepAlive(start, { onRestart, signal }) };
};

/** The five, each a process of its own that is started again when it dies. Resolves when all can do their work. */
export const startServices = async (
  options: ServicesOptions,
  { closing, signal }: Pick<Launching, 'closing' | 'signal'>,
) => {
  const asking = { dataDir: options.dataDir, signal };
  const port = options.port === 0 ? await freePort() : options.port;
  const baseUrl = `http://127.0.0.1:${port}`;
  const envOf = (name: string): Environment => ({ ...options.envOf(name), CAUSEWAY_PORT: String(port) });
  const running = await Promise.all(
    [gateway, ...servicesBehind].map((name) => startService(name, { ...options, envOf }, signal)),
  );
  const [first, ...others] = running as [Running, ...Running[]];
  closing(async (withinMs) => {
    const endsAt = performance.now() + withinMs;
    // The gateway goes first, and answers while the others are still there.
    const last = first.kept.stop(withinMs);
    await within(withinMs / 2, last).catch(() => undefined);
    await Promise.all([last, ...others.map(({ kept }) => kept.stop(endsAt - performance.now()))]);
  });
  // The gateway is asked whether it listens: it says that it is ready when everything is.
  await Promise.all([
    untilAnswers(`${baseUrl}/healthz`, gateway, asking),
    ...others.map(({ name, healthPort }) => untilAnswers(`http://127.0.0.1:${healthPort}/readyz`, name, asking)),
  ]);
  const pids = () => Object.fromEntries(running.map(({ name, kept }) => [name, kept.current().pid]));
  return { baseUrl, pids };
};
