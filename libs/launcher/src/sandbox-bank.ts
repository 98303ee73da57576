import { environmentOfOthers } from '@causeway/settings';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { startApp, type AppProcess } from './app-process.ts';

export type BankProcess = AppProcess & Readonly<{ url: string; port: number }>;

const startTimeoutMs = 30_000;

/** A process with data of its own, as a real bank would be. `port` 0: any free port. `signal`: ends a start under way. */
export const startSandboxBank = async (dataDir: string, port: number, signal: AbortSignal): Promise<BankProcess> => {
  signal.throwIfAborted();
  const own = Object.entries(process.env).filter(([name]) => name.startsWith('CAUSEWAY_SANDBOX_'));
  const env = {
    ...{ ...environmentOfOthers(process.env), ...Object.fromEntries(own) },
    ...{ CAUSEWAY_DATA_DIR: dataDir, CAUSEWAY_SANDBOX_BANK_PORT: String(port) },
  };
  const bank = startApp({ app: 'sandbox-bank', dataDir, env });
  const lines = createInterface(bank.process.stdout as Readable);
  const ended = bank.exited.then(() => Promise.reject(new Error(`the sandbox bank did not start on port ${port}`)));
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(startTimeoutMs)]);
  const first = once(lines, 'line', { signal: inTime }) as Promise<[string]>;
  const [line] = await Promise.race([first, ended]).catch(async (error: unknown) => {
    await bank.stop(0).catch(() => undefined);
    throw error;
  });
  // Only a bank that ends before it listens is a failure of its start.
  ended.catch(() => undefined);
  const { listening } = JSON.parse(line) as { listening: number };
  return { ...bank, url: `http://127.0.0.1:${listening}`, port: listening };
};
