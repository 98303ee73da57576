import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** A fenced block. `info`: what stands behind its language: the name of the file it is, or the program it needs. */
export type Snippet = Readonly<{ language: string; info: string; code: string }>;

/** The port that the guides listen on. */
const receiverPort = '4000';

const freePort = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
};

/** A port that is free here instead. */
const receiverAt = await freePort();

/** How the guides start the system, and its settings then. */
export const starts = `npm ci\nCAUSEWAY_WEBHOOK_ALLOWED_HOSTS=127.0.0.1:${receiverAt} npm start\n`;
export const guideSettings = { CAUSEWAY_WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${receiverAt}` };

const fence = /^```(\w+) ?(.*)\n([^]*?)^```$/gm;

export const snippetsIn = (markdown: string): readonly Snippet[] =>
  [...markdown.matchAll(fence)].map(([, language = '', info = '', code = '']) => ({
    ...{ language, info },
    code: code.replaceAll(receiverPort, receiverAt),
  }));

/** What somebody would save as a file before going on. */
export const isFile = ({ language }: Snippet): boolean => !['sh', 'console', 'json'].includes(language);

export type Run = Readonly<{ snippet: Snippet; printed: string }>;

/** Most of it is waiting for the sandbox bank. */
const runTimeoutMs = 240_000;

const mark = '-----8<-----';

/** What the shell is told: the snippets one after another, as somebody would type them, and a mark after each. */
const scriptOf = (snippets: readonly Snippet[]): string =>
  snippets.map(({ code }) => `${code}\necho '${mark}'`).join('\n');

const shellIn = (folder: string, script: string) => {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { ...process.env, npm_config_loglevel: 'error', CAUSEWAY_DATA_DIR: join(folder, 'var') },
    stdio: ['ignore', 'pipe', 'pipe'],
    // With what it starts in the background it is a group, which ends as one.
    detached: true,
  });
  const endAll = (): void => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // Nothing of it runs any more.
    }
  };
  const limit = setTimeout(endAll, runTimeoutMs);
  child.once('exit', () => {
    clearTimeout(limit);
    endAll();
  });
  return child;
};

/** Runs what a guide tells to run, in a folder like a checkout. What needs a program that is not `there` is left out. */
export const run = async (
  snippets: readonly Snippet[],
  { folder, there }: Readonly<{ folder: string; there: readonly string[] }>,
): Promise<readonly Run[]> => {
  for (const { info, code } of snippets.filter(isFile)) writeFileSync(join(folder, info), code);
  const commands = snippets.filter(({ language, info }) => language === 'sh' && (info === '' || there.includes(info)));
  const child = shellIn(folder, scriptOf(commands));
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const printed = said.split(`${mark}\n`);
  if (child.exitCode !== 0) {
    const at = commands[printed.length - 1]?.code;
    throw new Error(`status ${child.exitCode} at\n${at}\n${printed.at(-1)}\n${complained}`);
  }
  return commands.map((snippet, index) => ({ snippet, printed: printed[index] ?? '' }));
};

/** Puts what a checkout has beside the data of a system: the packages. */
export const asCheckout = (folder: string): void =>
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));

/** Whether both have the same members of the same types. Null and an empty list fit all: a guide shows one row of many. */
export const fits = (shown: unknown, got: unknown): boolean => {
  if (shown === null || got === null) return true;
  if (typeof shown !== 'object' || typeof got !== 'object') return typeof shown === typeof got;
  if (Array.isArray(shown) && Array.isArray(got)) return shown.length * got.length === 0 || fits(shown[0], got[0]);
  const names = Object.keys(shown);
  if (names.toSorted().join() !== Object.keys(got).toSorted().join()) return false;
  return names.every((name) => fits(shown[name as never], got[name as never]));
};
