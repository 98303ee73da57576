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
import type { RawPage } from '../connector.ts';
import { accountsIn, type DatedAccount } from './account.ts';
import { isFileSystemError, type InboxFile } from './drop-folder.ts';
import { FileGone, openFile } from './open-file.ts';
import { isBooked, pageBytesMax, pageKeyOf, pagePlanner, type PagePlan, type PlannedPage } from './page-plan.ts';
import { pageParts } from './page-parts.ts';

/** `check` reads all of a file and tells its accounts; `pages` reads it again, for what is to be booked. */
export type ReadRequest = Readonly<{
  kind: 'check' | 'pages';
  file: InboxFile;
  /** The day of the check: a file may name any. */
  bankDay: string;
}>;

/** In small pieces: whoever gets them has other things to do. */
export type ReadReply =
  | Readonly<{ type: 'accounts'; accounts: readonly DatedAccount[] }>
  /** The last of a check. `hash`: SHA-256 of the bytes as they lie on the disk. */
  | Readonly<{ type: 'checked'; hash: string }>
  /** `page`: with its last part. */
  | Readonly<{ type: 'part'; part: Uint8Array; page: Omit<RawPage, 'parts'> | null }>
  | Readonly<{ type: 'refused'; refusal: Refusal }>
  /** It is not, or no longer, the file that was meant. */
  | Readonly<{ type: 'gone' }>;

type Head = Pick<Statement, 'account' | 'report'>;

/** What the ledger would refuse makes the whole file refused. Of entries that it does not book, days do not matter. */
const outOfBounds = (bankDay: string, head: Head, entry: Entry): string | undefined =>
  isBooked(head, entry) ? faultOfDays(bankDay, [entry.day, entry.valueDate]) : undefined;

const statementsOutOfBounds = (bankDay: string, statements: readonly Statement[]): string | undefined => {
  const booked = statements.filter(({ report }) => report.ignored === null);
  const closings = booked.flatMap((statement) => statement.closings.map(({ date }) => date));
  const ofClosings = faultOfDays(bankDay, closings);
  if (ofClosings !== undefined) return `closing balance: ${ofClosings}`;
  const covered = booked.flatMap(({ report: { covers } }) => (covers === null ? [] : [covers.from, covers.to]));
  const ofReports = faultOfDays(bankDay, covered);
  return ofReports === undefined ? undefined : `the days of a report: ${ofReports}`;
};

type Planned = Readonly<{ statements: readonly Statement[]; plan: PagePlan; hash: string }>;

/** Reads all of the file and emits nothing of it. */
const planFile = async ({ file, bankDay }: ReadRequest, onChunk: () => void): Promise<Planned | Refusal> => {
  const fold = fileFigures();
  const planner = pagePlanner();
  const hash = createHash('sha256');
  const hashed = (chunk: Buffer): void => {
    hash.update(chunk);
    onChunk();
  };
  let format: BankFileFormat = 'bai2';
  let head: Head | null = null;
  for await (const event of readBankFile(openFile(file, hashed))) {
    const reason = event.type === 'entry' && head !== null ? outOfBounds(bankDay, head, event.entry) : undefined;
    if (reason !== undefined) return { reason };
    fold.apply(event);
    if (event.type === 'refused') return event.refusal;
    if (event.type === 'format') ({ format } = event);
    else if (event.type === 'statement') head = event.statement;
    else if (event.type === 'entry' && head !== null) planner.countRow(head, event, format);
    const fault = planner.fault();
    if (fault !== null) return { reason: fault };
  }
  const { statements } = fold.figures();
  const reason = statementsOutOfBounds(bankDay, statements);
  if (reason !== undefined) return { reason };
  for (const statement of statements) planner.addStatement(statement, format);
  const fault = planner.fault();
  return fault === null ? { statements, plan: planner.plan(), hash: hash.digest('hex') } : { reason: fault };
};

const accountsAtOnce = 200;

async function* check(request: ReadRequest, onChunk: () => void): AsyncGenerator<ReadReply> {
  const planned = await planFile(request, onChunk);
  if ('reason' in planned) {
    yield { type: 'refused', refusal: planned };
    return;
  }
  const accounts = accountsIn(planned.statements);
  for (let at = 0; at < accounts.length; at += accountsAtOnce)
    yield { type: 'accounts', accounts: accounts.slice(at, at + accountsAtOnce) };
  yield { type: 'checked', hash: planned.hash };
}

/** Of pages that wait for their last rows. A file whose accounts and days are mixed is read more often instead. */
const heldBytesMax = 4 * pageBytesMax;

type Left = Readonly<{ plan: PagePlan; hash: string; /** Pages that are not told yet. */ pages: Set<PlannedPage> }>;

/** Pages in hand: one more is taken up as long as all of them fit. */
const openPages = ({ plan, hash, pages: left }: Left) => {
  const open = new Map<PlannedPage, ReturnType<typeof pageParts>>();
  const later = new Set<PlannedPage>();
  let heldBytes = 0;
  const take = (page: PlannedPage): ReturnType<typeof pageParts> | null => {
    const known = open.get(page);
    if (known !== undefined) return known;
    if (!left.has(page) || later.has(page)) return null;
    if (open.size > 0 && heldBytes + page.bytes > heldBytesMax) {
      later.add(page);
      return null;
    }
    const taken = pageParts(page, hash);
    open.set(page, taken);
    heldBytes += page.bytes;
    return taken;
  };
  const add = (key: string, record: string): ReturnType<typeof pageParts> | null => {
    const page = plan.pages.get(key);
    const parts = page === undefined ? null : take(page);
    if (page === undefined || parts === null) return null;
    parts.add(record);
    if (!parts.isComplete()) return null;
    open.delete(page);
    left.delete(page);
    heldBytes -= page.bytes;
    return parts;
  };
  return { add };
};

function* partsOf(page: ReturnType<typeof pageParts>, bankDay: string): Generator<ReadReply> {
  const { parts, ...named } = page.page();
  for (const [index, part] of parts.entries())
    yield { type: 'part', part, page: index === parts.length - 1 ? { ...named, bankDay } : null };
}

/**
 * A page is handed on as soon as its last row has been read, so that a file in the order of accounts and days is read
 * once more, and one page of it is held.
 */
async function* pages(request: ReadRequest, onChunk: () => void): AsyncGenerator<ReadReply> {
  const { file, bankDay } = request;
  const planned = await planFile(request, onChunk);
  if ('reason' in planned) {
    yield { type: 'refused', refusal: planned };
    return;
  }
  const { plan, hash } = planned;
  const all = [...plan.pages.values()];
  const left = new Set(all.filter(({ rows }) => rows > 0));
  while (left.size > 0) {
    const open = openPages({ plan, hash, pages: left });
    const before = left.size;
    let head: Head | null = null;
    for await (const event of readBankFile(openFile(file, onChunk))) {
      if (event.type === 'statement') head = event.statement;
      if (event.type !== 'entry' || head === null || !isBooked(head, event.entry)) continue;
      const complete = open.add(pageKeyOf(head, event.entry.day), event.record);
      if (complete !== null) yield* partsOf(complete, bankDay);
    }
    if (left.size === before) throw new FileGone();
  }
  for (const page of all) if (page.rows === 0) yield* partsOf(pageParts(page, hash), bankDay);
}

/** Links, and files that nobody may read. */
const unreadable = new Set(['EACCES', 'EPERM', 'ELOOP']);

/** Reads a file of an inbox. Calls `onChunk` for every piece of it; it is alive as long as these come. */
export async function* readFile(request: ReadRequest, onChunk: () => void): AsyncGenerator<ReadReply> {
  try {
    yield* request.kind === 'check' ? check(request, onChunk) : pages(request, onChunk);
  } catch (error) {
    if (error instanceof FileGone) yield { type: 'gone' };
    else if (isFileSystemError(error) && unreadable.has(error.code))
      yield { type: 'refused', refusal: { reason: `the file cannot be read (${error.code})` } };
    else throw error;
  }
}
