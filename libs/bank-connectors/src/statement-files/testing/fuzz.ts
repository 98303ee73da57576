import { readBankFile, readEntryRecord } from '@causeway/bank-formats';
import { hostileFiles } from '@causeway/bank-formats/testing';
import { faultOfPage, wholePage } from '@causeway/domain/ledger';
import { randomOf, type Random } from '@causeway/testing';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { markOf } from '../drop-folder.ts';
import { fileReader, readerLimits, type FileReader } from '../file-reader.ts';
import { mapPart } from '../page-parts.ts';
import type { ReadReply } from '../read-file.ts';
import { mutated } from './mutations.ts';

type Events = Awaited<ReturnType<typeof eventsOf>>;

async function* inPieces(file: Buffer, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts, file.length]) {
    if (cut > from) yield file.subarray(from, cut);
    from = Math.max(from, cut);
  }
}

const eventsOf = async (file: Buffer, cuts: readonly number[]) => {
  const events = [];
  for await (const event of readBankFile(inPieces(file, cuts))) events.push(event);
  return events;
};

const wrong = (condition: boolean, what: string): void => {
  if (condition) throw new Error(what);
};

/** An entry is kept as its record, and must come of it again. Of a refused file nothing is kept. */
const checkRecords = (events: Events): void => {
  if (events.some(({ type }) => type === 'refused')) return;
  let format: Parameters<typeof readEntryRecord>[0] | undefined;
  let context = { currency: null as string | null, day: null as string | null, pending: false };
  for (const event of events) {
    if (event.type === 'format') ({ format } = event);
    if (event.type === 'statement') {
      const { account, report } = event.statement;
      context = { currency: account.currency, day: report.day, pending: report.pending };
    }
    if (event.type !== 'entry' || format === undefined) continue;
    const again = readEntryRecord(format, event.record, context);
    wrong(
      !isDeepStrictEqual(again.entry, event.entry),
      `the record of an entry is another: ${event.record.slice(0, 500)}`,
    );
  }
};

/** Whatever the pieces are in which it comes, a file says the same. Where it breaks may show sooner. */
const checkPieces = async (file: Buffer, whole: Events, random: Random): Promise<void> => {
  const cuts = Array.from({ length: random.below(6) }, () => random.below(file.length + 1)).sort((a, b) => a - b);
  const events = await eventsOf(file, cuts);
  const refusals = [whole, events].map((some) => some.some(({ type }) => type === 'refused'));
  wrong(refusals[0] !== refusals[1], `refused or not, cut at ${cuts.join(', ')}`);
  wrong(!refusals[0] && !isDeepStrictEqual(whole, events), `another file when cut at ${cuts.join(', ')}`);
};

const read = async (reader: FileReader, kind: 'check' | 'pages', path: string): Promise<readonly ReadReply[]> => {
  const request = { kind, file: { name: 'fuzz', path, mark: markOf(statSync(path)) }, bankDay: '2026-04-02' };
  const replies: ReadReply[] = [];
  for await (const reply of reader.read(request, new AbortController().signal)) replies.push(reply);
  return replies;
};

/** What a check lets pass must be bookable, page by page. */
const checkPages = (replies: readonly ReadReply[]): void => {
  let parts: Buffer[] = [];
  for (const reply of replies) {
    wrong(reply.type !== 'part', `instead of a page: ${JSON.stringify(reply)}`);
    if (reply.type !== 'part') continue;
    parts.push(Buffer.from(reply.part));
    if (reply.page === null) continue;
    const fault = faultOfPage(wholePage(parts.map(mapPart)), reply.page.bankDay);
    wrong(fault !== undefined, `the ledger refuses a page: ${fault}`);
    parts = [];
  }
};

const checkFile = async (reader: FileReader, path: string, file: Buffer, random: Random): Promise<void> => {
  const last = (await read(reader, 'check', path)).at(-1);
  wrong(last?.type !== 'checked' && last?.type !== 'refused', `the check answers ${JSON.stringify(last)}`);
  if (last?.type === 'checked') checkPages(await read(reader, 'pages', path));
  const events = await eventsOf(file, []);
  checkRecords(events);
  await checkPieces(file, events, random);
};

let made: readonly Buffer[] | undefined;

/** The heads of the hostile shapes. Packed ones are made of plain ones here. */
const shapes = (): readonly Buffer[] =>
  (made ??= Object.entries(hostileFiles)
    .filter(([name]) => !name.startsWith('gzip'))
    .map(([, make]) => Buffer.from(make()[0]).subarray(0, 64 * 1024)));

export type Fuzz = Readonly<{
  seed: number;
  forMs: number;
  /** Files to begin with, beside the hostile shapes. */
  files: readonly Buffer[];
  /** After each file that held. */
  onFile?: (count: number) => void;
}>;

/** The file that broke something, and how. */
export type Broken = Readonly<{ seed: number; file: Buffer; error: Error }>;

/** Far more than a file of this size may take on a machine that does other things, too. */
const limits = { ...readerLimits, silenceMs: 10_000, answerMs: 20_000 };

/**
 * Reads mutated files as a sync would, until one breaks something or time is up. Each has the seed of the run and its own
 * number, so that it can be made again.
 */
export const fuzzStatementFiles = async ({ seed, forMs, files, onFile }: Fuzz): Promise<Broken | null> => {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
  const path = join(folder, 'file');
  const reader = fileReader(limits);
  const until = Date.now() + forMs;
  try {
    for (let number = 0; Date.now() < until; number++) {
      const random = randomOf(seed + number);
      const file = mutated(random, random.chance(0.8) ? files : shapes());
      writeFileSync(path, file);
      try {
        await checkFile(reader, path, file, random);
      } catch (error) {
        return { seed: seed + number, file, error: error as Error };
      }
      onFile?.(number + 1);
    }
    return null;
  } finally {
    reader.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
