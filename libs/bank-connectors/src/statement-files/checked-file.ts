import {
  fileFigures,
  readBankFile,
  type BankFileFormat,
  type Entry,
  type Refusal,
  type Statement,
} from '@causeway/bank-formats';
import { faultOfDays } from '@causeway/domain/ledger';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { RawPage } from '../connector.ts';
import type { InboxFile } from './drop-folder.ts';
import { isBooked, pageKeyOf, pagePlanner, pagesMax, type PagePlan } from './page-plan.ts';
import { pageParts } from './page-parts.ts';

/** A file that has been read to its end once, and found bookable. */
export type CheckedFile = Readonly<{
  file: InboxFile;
  /** SHA-256 of its bytes as they lie on the disk. */
  hash: string;
  /** The day of the check: a file may name any. */
  bankDay: string;
  statements: readonly Statement[];
  plan: PagePlan;
}>;

type Head = Pick<Statement, 'account' | 'report'>;

/** What the ledger would refuse makes the whole file refused. Of entries that it does not book, days do not matter. */
const outOfBounds = (bankDay: string, head: Head, entry: Entry): Refusal | undefined => {
  const reason = isBooked(head, entry) ? faultOfDays(bankDay, [entry.day, entry.valueDate]) : undefined;
  return reason === undefined ? undefined : { reason };
};

const closingOutOfBounds = (bankDay: string, statements: readonly Statement[]): Refusal | undefined => {
  const booked = statements.filter(({ report }) => report.ignored === null);
  const days = booked.flatMap(({ closings }) => closings.map(({ date }) => date));
  const reason = faultOfDays(bankDay, days);
  return reason === undefined ? undefined : { reason: `closing balance: ${reason}` };
};

const hashOf = async (path: string, signal: AbortSignal): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, { signal });
  return hash.digest('hex');
};

/** The first of two passes: reads all of the file and emits nothing of it. */
export const checkFile = async (file: InboxFile, signal: AbortSignal): Promise<CheckedFile | Refusal> => {
  const fold = fileFigures();
  const planner = pagePlanner();
  let format: BankFileFormat = 'bai2';
  const bankDay = new Date().toISOString().slice(0, 10);
  let head: Head | null = null;
  for await (const event of readBankFile(createReadStream(file.path))) {
    const refusal = event.type === 'entry' && head !== null ? outOfBounds(bankDay, head, event.entry) : undefined;
    if (refusal !== undefined) return refusal;
    fold.apply(event);
    if (event.type === 'refused') return event.refusal;
    if (event.type === 'format') ({ format } = event);
    else if (event.type === 'statement') head = event.statement;
    else if (event.type === 'entry' && head !== null) planner.countRow(head, event.entry, format);
    if (planner.isFull()) return { reason: `more than ${pagesMax} account days` };
    signal.throwIfAborted();
  }
  const { statements } = fold.figures();
  const refusal = closingOutOfBounds(bankDay, statements);
  if (refusal !== undefined) return refusal;
  for (const statement of statements) planner.addStatement(statement, format);
  if (planner.isFull()) return { reason: `more than ${pagesMax} account days` };
  return { file, hash: await hashOf(file.path, signal), bankDay, statements, plan: planner.plan() };
};

/**
 * The second pass: the pages. One is handed on as soon as its last row has been read, so that of a file in the order
 * of accounts and days no more than one page is held.
 */
export async function* pagesOf({ file, hash, bankDay, plan }: CheckedFile): AsyncGenerator<RawPage> {
  const open = new Map<string, ReturnType<typeof pageParts>>();
  let head: Head | null = null;
  for await (const event of readBankFile(createReadStream(file.path))) {
    if (event.type === 'statement') head = event.statement;
    if (event.type !== 'entry' || head === null || !isBooked(head, event.entry)) continue;
    const key = pageKeyOf(head, event.entry.day);
    const planned = plan.pages.get(key);
    // Only in a file that was changed after its check, which the caller finds out.
    if (planned === undefined) return;
    const page = open.get(key) ?? pageParts(planned, hash);
    page.add(event.record);
    open.set(key, page);
    if (!page.isComplete()) continue;
    open.delete(key);
    yield { ...page.page(), bankDay };
  }
  for (const planned of plan.pages.values())
    if (planned.rows === 0) yield { ...pageParts(planned, hash).page(), bankDay };
}
