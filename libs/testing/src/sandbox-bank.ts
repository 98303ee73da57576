import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What the bank's control interface says is so. */
export type BankTruth = Readonly<{
  accounts: readonly Readonly<Record<'number' | 'type' | 'currency' | 'ledgerBalance' | 'availableBalance', string>>[];
  transactions: readonly BankTruthRow[];
  closingBalances: readonly Readonly<Record<'accountNumber' | 'date' | 'amount', string>>[];
  payments: readonly Readonly<
    Record<'reference' | 'amount' | 'currency' | 'fromAccountNumber' | 'status' | 'receivedAt', string>
  >[];
}>;

export type BankTruthRow = Readonly<{
  accountNumber: string;
  bankId: string | null;
  status: 'pending' | 'posted';
  postedDate: string | null;
  amount: string;
  currency: string;
  description: string;
}>;

/** The sandbox bank as a process of its own, on a free port. */
export type SandboxBank = Readonly<{
  url: string;
  pid: number;
  /** SIGTERM; the exit status. */
  stop(): Promise<number | null>;
  /** kill -9. */
  kill(): Promise<void>;
}>;

export type SandboxBankOptions = Readonly<{ dataDir: string; env?: Readonly<Record<string, string>> }>;

const startTimeoutMs = 30_000;
const entryPoint = join(import.meta.dirname, '..', '..', '..', 'apps', 'sandbox-bank', 'src', 'main.ts');

let bundled: Promise<string> | undefined;

/** The bank in one text. It needs nothing but Node, so it runs from anywhere. */
const bundle = async (): Promise<string> => {
  const { build } = await import('esbuild');
  const result = await build({
    entryPoints: [entryPoint],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  return result.outputFiles.map(({ text }) => text).join('');
};

/** Started again on the same `dataDir` it is the same bank. It ends with the process that started it. */
export const startSandboxBank = async ({ dataDir, env = {} }: SandboxBankOptions): Promise<SandboxBank> => {
  mkdirSync(dataDir, { recursive: true });
  const program = join(dataDir, 'sandbox-bank.mjs');
  writeFileSync(program, await (bundled ??= bundle()));
  const bank = spawn(process.execPath, [program], {
    env: { ...process.env, CAUSEWAY_SANDBOX_BANK_PORT: '0', ...env, CAUSEWAY_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = new Promise<number | null>((resolve) => bank.once('exit', resolve));
  const { stdout, pid } = bank;
  if (stdout === null || pid === undefined) throw new Error('the sandbox bank could not be started');
  const first = once(createInterface(stdout), 'line', { signal: AbortSignal.timeout(startTimeoutMs) });
  const ended = exited.then((status) => Promise.reject(new Error(`the sandbox bank ended at its start (${status})`)));
  const [line] = (await Promise.race([first, ended])) as [string];
  // Only a bank that ends before it listens is a failure of its start.
  ended.catch(() => undefined);
  const { listening } = JSON.parse(line) as { listening: number };
  // A spec that fails before it stops its bank can end all the same, and its bank with it.
  bank.unref();
  bank.channel?.unref();
  (stdout as Socket).unref();

  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    bank.ref();
    bank.kill(signal);
    return exited;
  };
  return {
    url: `http://127.0.0.1:${listening}`,
    pid,
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
  };
};
