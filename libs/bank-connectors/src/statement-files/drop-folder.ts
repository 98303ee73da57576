import type { Refusal } from '@causeway/bank-formats';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freeName, nameBytesMax } from './file-name.ts';

/** The folders of one connection: files come into `inbox` and leave it for one of the other two. */
export type DropFolder = Readonly<{ inbox: string; processed: string; rejected: string }>;

export const dropFolder = (fileDropDir: string, connectionId: string): DropFolder => {
  const root = join(fileDropDir, connectionId);
  return { inbox: join(root, 'inbox'), processed: join(root, 'processed'), rejected: join(root, 'rejected') };
};

export const isFileSystemError = (error: unknown): error is { code: string } =>
  typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error;

/** What a part of the file system that is not ours to mend refuses, stays undone. */
const ifPossible = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
  }
};

/** A folder that is a link would be another connection's, or anything. */
const mustBeFolder = async (path: string): Promise<void> => {
  if ((await lstat(path)).isDirectory()) return;
  throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR', syscall: 'lstat' });
};

const makeFolder = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await mustBeFolder(path);
};

/** Safe to repeat. Without the other two, files can be read and not moved. */
export const prepareFolder = async ({ inbox, processed, rejected }: DropFolder): Promise<void> => {
  await makeFolder(dirname(inbox));
  await makeFolder(inbox);
  for (const path of [processed, rejected]) await ifPossible(() => makeFolder(path));
};

/** With every file in it. Safe to repeat. */
export const eraseFolder = (fileDropDir: string, connectionId: string): Promise<void> =>
  rm(join(fileDropDir, connectionId), { recursive: true, force: true });

/** `mark`: the file as it was when it was looked at. Another one, or a changed one, under its name has another. */
export type InboxFile = Readonly<{ name: string; path: string; mark: string }>;

type FileStat = Awaited<ReturnType<typeof lstat>>;

export const markOf = (stat: FileStat): string => `${stat.ino} ${stat.size} ${stat.mtimeMs}`;

/** Null when no file is there, or something else under its name. */
const markAt = async (path: string): Promise<string | null> => {
  try {
    const stat = await lstat(path);
    return stat.isFile() ? markOf(stat) : null;
  } catch (error) {
    if (isFileSystemError(error) && error.code === 'ENOENT') return null;
    throw error;
  }
};

export const isUnchanged = async ({ path, mark }: InboxFile): Promise<boolean> => (await markAt(path)) === mark;

const listInbox = async ({ inbox }: DropFolder): Promise<readonly InboxFile[]> => {
  await mustBeFolder(inbox);
  const entries = await readdir(inbox, { withFileTypes: true });
  // Uploads under a temporary name start with a dot; links could point anywhere.
  const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
  const files = names.sort().map(async (name) => {
    const path = join(inbox, name);
    return { name, path, mark: await markAt(path) };
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

/**
 * Those with these marks: once more after a crash moves what is left, and a file replaced meanwhile stays. What cannot be
 * moved stays too, and is tried again with the next sync: its bytes are known by then, so it brings nothing twice.
 */
export const moveToProcessed = async (folder: DropFolder, marks: readonly string[]): Promise<void> => {
  if (marks.length === 0) return;
  const lent = new Set(marks);
  for (const { name, path, mark } of await listInbox(folder)) {
    if (!lent.has(mark)) continue;
    await ifPossible(async () => {
      await mustBeFolder(folder.processed);
      await rename(path, join(folder.processed, await freeName(folder.processed, name, nameBytesMax)));
    });
  }
};

const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
const reasonEnding = '.error.json';

/**
 * The reason is written first: a crash in between leaves the file to be refused again, under the same name. So does what
 * forbids its move.
 */
export const moveToRejected = async ({ rejected }: DropFolder, file: InboxFile, refusal: Refusal): Promise<void> =>
  ifPossible(async () => {
    await mustBeFolder(rejected);
    const name = await freeName(rejected, file.name, nameBytesMax - reasonEnding.length);
    const reason = await open(
      join(rejected, `${name}${reasonEnding}`),
      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
      0o600,
    );
    try {
      await reason.writeFile(`${JSON.stringify({ file: file.name, ...refusal }, null, 2)}\n`);
    } finally {
      await reason.close();
    }
    await rename(file.path, join(rejected, name));
  });
