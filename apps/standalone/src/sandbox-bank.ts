import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type BankProcess = Readonly<{
  url: string;
  port: number;
  pid: number;
  exited: Promise<void>;
  stop(): Promise<void>;
}>;

const startTimeoutMs = 30_000;
const stopTimeoutMs = 3000;

/** The bank is no part of the system: a process of its own, in a session of its own, with its own data. */
export const startSandboxBank = async (dataDir: string, port: number): Promise<BankProcess> => {
  const program = join(import.meta.dirname, '..', 'sandbox-bank', 'main.js');
  const env = { ...process.env, CAUSEWAY_DATA_DIR: dataDir, CAUSEWAY_SANDBOX_BANK_PORT: String(port) };
  const bank = spawn(process.execPath, ['--enable-source-maps', program], {
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => bank.once('exit', () => resolve()).once('error', () => resolve()));
  const lines = createInterface(bank.stdout);
  const ended = exited.then(() => Promise.reject(new Error(`the sandbox bank did not start on port ${port}`)));
  const first = once(lines, 'line', { signal: AbortSignal.timeout(startTimeoutMs) }) as Promise<[string]>;
  const [line] = await Promise.race([first, ended]);
  const { listening } = JSON.parse(line) as { listening: number };

  const stop = async (): Promise<void> => {
    bank.kill('SIGTERM');
    const timer = setTimeout(() => bank.kill('SIGKILL'), stopTimeoutMs);
    await exited;
    clearTimeout(timer);
  };
  return { url: `http://127.0.0.1:${listening}`, port: listening, pid: bank.pid as number, exited, stop };
};
