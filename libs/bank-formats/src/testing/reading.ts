import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BankFileFormat, Entry, FileEvent } from '../file-event.ts';
import { readBankFile } from '../read-bank-file.ts';
import { fileFigures, type FileFigures } from '../statements.ts';

/** Bank files made for tests; some are not text. */
export const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, '../fixtures', name));

export type ReadFile = FileFigures & Readonly<{ entries: readonly Entry[]; records: readonly string[] }>;

/** As much as a file is read at a time. */
const chunkBytes = 64 * 1024;

async function* inChunks(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const bytes of chunks)
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

export const eventsOf = async (
  content: string | Uint8Array | readonly Uint8Array[],
  format?: BankFileFormat,
): Promise<readonly FileEvent[]> => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const chunks = inChunks(bytes instanceof Uint8Array ? [bytes] : bytes);
  const events: FileEvent[] = [];
  for await (const event of readBankFile(chunks, format === undefined ? {} : { format })) events.push(event);
  return events;
};

/** All that a file holds. */
export const read = async (content: string | Uint8Array, format?: BankFileFormat): Promise<ReadFile> => {
  const fold = fileFigures();
  const events = await eventsOf(content, format);
  events.forEach(fold.apply);
  const entries = events.flatMap((event) => (event.type === 'entry' ? [event] : []));
  return {
    ...fold.figures(),
    entries: entries.map(({ entry }) => entry),
    records: entries.map(({ record }) => record),
  };
};
