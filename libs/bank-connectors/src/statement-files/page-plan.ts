import { nextDay, type BankFileFormat, type Entry, type Statement } from '@causeway/bank-formats';
import type { ClosingBalance, Coverage, DayRange } from '@causeway/domain/ledger';

/**
 * All rows of an account's day in one report of a file are one page, so that equal rows are counted together. What the
 * report says of that day beside its rows stands on the page, too.
 */
export type PlannedPage = {
  readonly accountKey: string;
  /** Counts the pages of an account within the file, from 1. */
  readonly number: number;
  readonly format: BankFileFormat;
  readonly currency: string;
  readonly day: string;
  readonly pending: boolean;
  rows: number;
  /** Of its records as JSON; none where the page has no rows. */
  bytes: number;
  covered: DayRange | null;
  corrects: boolean;
  closing: ClosingBalance | null;
};

export type PagePlan = Readonly<{ pages: ReadonlyMap<string, PlannedPage> }>;

/** Account days of one file; a year of ten thousand accounts is in reach of no bank's file. */
const pagesMax = 100_000;
/** Of one account in one day. A page is fetched, kept and booked whole. */
export const pageRowsMax = 50_000;
export const pageBytesMax = 16 * 1024 * 1024;

export const accountKeyOf = ({ bank, number, currency }: Statement['account']): string =>
  [bank, number, currency ?? ''].join('|');

export const pageKeyOf = ({ account, report }: Pick<Statement, 'account' | 'report'>, day: string): string =>
  JSON.stringify([accountKeyOf(account), report.key, day]);

/** The ledger books posted and pending entries of reports that are not marked otherwise. */
export const isBooked = ({ report }: Pick<Statement, 'report'>, { status }: Entry): boolean =>
  report.ignored === null && (status === 'posted' || status === 'pending');

/** Rows missing on a correction have been withdrawn, but a correction of balances alone shows no rows at all. */
export const coverageOf = ({ day, rows, covered, corrects }: PlannedPage): Coverage => ({
  posted: corrects && rows > 0 ? { from: day, to: day } : null,
  pending: covered,
});

type Head = Pick<Statement, 'account' | 'report'>;
type Row = Readonly<{ entry: Entry; record: string }>;

/** The pages of one account in one report, and the days whose final word that report is. */
type ReportPages = { pages: PlannedPage[]; covers: DayRange[] };

type Planner = {
  pages: Map<string, PlannedPage>;
  reports: Map<string, ReportPages>;
  /** Pages of each account so far. */
  numbers: Map<string, number>;
  fault: string | null;
};

const reportPagesOf = (planner: Planner, head: Head): ReportPages => {
  const key = pageKeyOf(head, '');
  const known = planner.reports.get(key) ?? { pages: [], covers: [] };
  planner.reports.set(key, known);
  return known;
};

const pageOf = (planner: Planner, head: Head, day: string, format: BankFileFormat): PlannedPage => {
  const key = pageKeyOf(head, day);
  const known = planner.pages.get(key);
  if (known !== undefined) return known;
  const { account, report } = head;
  const accountKey = accountKeyOf(account);
  const number = (planner.numbers.get(accountKey) ?? 0) + 1;
  const reading = { format, currency: account.currency ?? '', day, pending: report.pending };
  const page = {
    accountKey,
    number,
    ...reading,
    rows: 0,
    bytes: 0,
    covered: null,
    corrects: report.corrects,
    closing: null,
  };
  planner.numbers.set(accountKey, number);
  planner.pages.set(key, page);
  if (planner.pages.size > pagesMax) planner.fault = `more than ${pagesMax} account days`;
  reportPagesOf(planner, head).pages.push(page);
  return page;
};

const byText =
  <T>(text: (value: T) => string) =>
  (a: T, b: T): number =>
    text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0;

const merged = (ranges: readonly DayRange[]): readonly DayRange[] => {
  const apart: DayRange[] = [];
  for (const range of ranges.toSorted(byText(({ from }) => from))) {
    const last = apart.at(-1);
    if (last === undefined || range.from > last.to) apart.push(range);
    else if (range.to > last.to) apart[apart.length - 1] = { from: last.from, to: range.to };
  }
  return apart;
};

/** Splits covered days among the pages, each up to its own day, so that the days without rows belong to one, too. */
const shareCover = ({ pages, covers }: ReportPages): void => {
  const sorted = pages.toSorted(byText(({ day }) => day));
  let next = 0;
  for (const { from, to } of merged(covers)) {
    let start = from;
    while ((sorted[next]?.day ?? '~') < from) next += 1;
    for (let page = sorted[next]; page !== undefined && page.day <= to; page = sorted[++next]) {
      page.covered = { from: start, to: page.day };
      start = nextDay(page.day);
    }
  }
};

const addRow = (planner: Planner, page: PlannedPage, bytes: number): void => {
  page.rows += 1;
  page.bytes += bytes;
  if (page.rows > pageRowsMax) planner.fault = `more than ${pageRowsMax} entries of an account in one day`;
  if (page.bytes > pageBytesMax) planner.fault = `more than ${pageBytesMax} bytes of an account in one day`;
};

/** Counts a file's rows into pages while it is read, then adds what its statements say of whole days. */
export const pagePlanner = () => {
  const planner: Planner = { pages: new Map(), reports: new Map(), numbers: new Map(), fault: null };
  return {
    /** Why there can be no plan. */
    fault: (): string | null => planner.fault,
    countRow: (head: Head, { entry, record }: Row, format: BankFileFormat): void => {
      if (!isBooked(head, entry)) return;
      addRow(planner, pageOf(planner, head, entry.day, format), Buffer.byteLength(JSON.stringify(record)) + 1);
    },
    addStatement: (statement: Statement, format: BankFileFormat): void => {
      const { report, account, closings } = statement;
      if (report.ignored !== null || account.currency === null) return;
      for (const closing of closings) pageOf(planner, statement, closing.date, format).closing = closing;
      if (report.covers === null) return;
      // What it says of its last day needs a page, be there rows or not.
      pageOf(planner, statement, report.covers.to, format);
      reportPagesOf(planner, statement).covers.push(report.covers);
    },
    plan: (): PagePlan => {
      for (const report of planner.reports.values()) shareCover(report);
      return { pages: planner.pages };
    },
  };
};
