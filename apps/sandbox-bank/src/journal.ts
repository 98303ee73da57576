import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { JournalRecord } from './changes.ts';

/** Append-only: the bank is what its journal says. */
export interface Journal {
  readonly append: (record: JournalRecord) => void;
  /** Resolves once everything appended so far is on disk; rejects, from then on always, when it cannot be put there. */
  readonly durable: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const newline = 0x0a;

/** The lines that are whole. What follows the last line end was being written when the process died. */
const readRecords = (bytes: Buffer, path: string): { records: JournalRecord[]; end: number } => {
  const records: JournalRecord[] = [];
  let start = 0;
  for (let stop = bytes.indexOf(newline); stop >= 0; stop = bytes.indexOf(newline, start)) {
    try {
      records.push(JSON.parse(bytes.toString('utf8', start, stop)) as JournalRecord);
    } catch (cause) {
      throw new Error(`${path} is damaged at byte ${start}: not even a kill leaves it so`, { cause });
    }
    start = stop + 1;
  }
  return { records, end: start };
};

/** A new file, and its folder's entry for it, must survive a power cut too. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, constants.O_RDONLY);
  await handle.sync();
  await handle.close();
};

/** Writes what has gathered while the write before was on its way to the disk: one fsync for all who wait. */
const groupCommit = (file: FileHandle, size: number): Journal => {
  let gathered = '';
  let end = size;
  let written = Promise.resolve();
  const flush = async () => {
    const bytes = Buffer.from(gathered);
    gathered = '';
    // A bank started later has put its mark here: from then on it alone may say what happened.
    if ((await file.stat()).size !== end) throw new Error('another process writes to this journal');
    await file.appendFile(bytes);
    await file.datasync();
    end += bytes.length;
  };
  return {
    append(record) {
      const isScheduled = gathered !== '';
      gathered += `${JSON.stringify(record)}\n`;
      if (isScheduled) return;
      written = written.then(flush);
      // Whoever waits in durable() hears of a failure; the rejection is not unhandled where nobody waits.
      written.catch(() => undefined);
    },
    durable: () => written,
    async close() {
      await written;
      await file.close();
    },
  };
};

/** Opening leaves a mark: it shuts out a bank that is still running on the same journal. */
export const openJournal = async (
  path: string,
  nowMs: number,
): Promise<{ records: JournalRecord[]; journal: Journal }> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o600);
  const { records, end } = readRecords(await file.readFile(), path);
  await file.truncate(end);
  await file.sync();
  await syncFolder(dirname(path));
  const journal = groupCommit(file, end);
  journal.append({ atMs: nowMs, changes: [] });
  await journal.durable();
  return { records, journal };
};
