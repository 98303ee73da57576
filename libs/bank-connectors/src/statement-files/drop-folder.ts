import type { Refusal } from '@causeway/bank-formats';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The folders of one connection: files come into `inbox` and leave it for one of the other two. */
export type DropFolder = Readonly<{ inbox: string; processed: string; rejected: string }>;

export const dropFolder = (fileDropDir: string, connectionId: string): DropFolder => {
  const root = join(fileDropDir, connectionId);
  return { inbox: join(root, 'inbox'), processed: join(root, 'processed'), rejected: join(root, 'rejected') };
};

/** Safe to repeat. */
export const prepareFolder = async (folder: DropFolder): Promise<void> => {
  for (const path of Object.values(folder)) await mkdir(path, { recursive: true });
};

/** With every file in it. Safe to repeat. */
export const eraseFolder = (fileDropDir: string, connectionId: string): Promise<void> =>
  rm(join(fileDropDir, connectionId), { recursive: true, force: true });

/** `mark`: the file as it was when it was looked at. Another one, or a changed one, under its name has another. */
export type InboxFile = Readonly<{ name: string; path: string; mark: string }>;

export const isFileSystemError = (error: unknown): error is { code: string } =>
  typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error;

/** Null when the file is gone. */
const markOf = async (path: string): Promise<string | null> => {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch (error) {
    if (isFileSystemError(error) && error.code === 'ENOENT') return null;
    throw error;
  }
};

export const isUnchanged = async ({ path, mark }: InboxFile): Promise<boolean> => (await markOf(path)) === mark;

const listInbox = async ({ inbox }: DropFolder): Promise<readonly InboxFile[]> => {
  const entries = await readdir(inbox, { withFileTypes: true });
  // Uploads under a temporary name start with a dot; links could point anywhere.
  const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
  const files = names.sort().map(async (name) => {
    const path = join(inbox, name);
    return { name, path, mark: await markOf(path) };
  });
  return (await Promise.all(files)).flatMap(({ mark, ...file }) => (mark === null ? [] : [{ ...file, mark }]));
};

/** The complete files of the inbox, in name order. One still being written waits for the next sync. */
export const completeFiles = async (
  folder: DropFolder,
  standStillMs: number,
  signal: AbortSignal,
): Promise<readonly InboxFile[]> => {
  const seen = await listInbox(folder);
  if (seen.length === 0) return [];
  // An aborted sleep rejects with an error of its own; the caller is to see why it was told to stop.
  await sleep(standStillMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  const unchanged = await Promise.all(seen.map(isUnchanged));
  return seen.filter((_, index) => unchanged[index]);
};

/** The name itself, or with the first number that no file there has. */
const freeName = (directory: string, name: string): string => {
  const { name: stem, ext } = parse(name);
  let free = name;
  for (let number = 2; existsSync(join(directory, free)); number++) free = `${stem}-${number}${ext}`;
  return free;
};

/**
 * Those with these marks: once more after a crash moves what is left, and a file replaced meanwhile stays. What cannot be
 * moved stays too, and is tried again with the next sync: its bytes are known by then, so it brings nothing twice.
 */
export const moveToProcessed = async (folder: DropFolder, marks: readonly string[]): Promise<void> => {
  if (marks.length === 0) return;
  for (const { name, path, mark } of await listInbox(folder)) {
    if (!marks.includes(mark)) continue;
    await rename(path, join(folder.processed, freeName(folder.processed, name))).catch((error: unknown) => {
      if (!isFileSystemError(error)) throw error;
    });
  }
};

/** The reason is written first: a crash in between leaves the file to be refused again, under the same name. */
export const moveToRejected = async (folder: DropFolder, file: InboxFile, refusal: Refusal): Promise<void> => {
  const name = freeName(folder.rejected, file.name);
  const error = JSON.stringify({ file: file.name, ...refusal }, null, 2);
  await writeFile(join(folder.rejected, `${name}.error.json`), `${error}\n`);
  await rename(file.path, join(folder.rejected, name));
};
