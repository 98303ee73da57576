import { add, equals, textOf, zero, type DecimalSum } from './decimal.ts';
import type { Balances, BankFileFormat, Entry, FileEvent, Refusal, StatementHead } from './file-event.ts';

/** One statement with its figures; its pages are one. */
export type Statement = StatementHead & Balances & Readonly<{ transactions: number; sum: string }>;

export type FileFigures = Readonly<{
  format: BankFileFormat | null;
  refusal: Refusal | null;
  anomalies: readonly string[];
  statements: readonly Statement[];
}>;

/** More are counted, not listed: a file in the wrong format has one for each line. */
const anomaliesListedMax = 200;

type Running = {
  index: number;
  head: StatementHead;
  balances: Balances | null;
  transactions: number;
  sum: DecimalSum;
  booked: DecimalSum;
};

/** What the pages of one statement share; null for a format whose statements have no number. */
const pagesKey = ({ id, account }: StatementHead): string | null =>
  id === null ? null : JSON.stringify([id, account.number, account.currency]);

/** A later page adds what the earlier one lacked, and closes what it left open. */
const withPage = (earlier: Balances | null, page: Balances): Balances =>
  earlier === null
    ? page
    : {
        date: page.date ?? earlier.date,
        opening: earlier.opening ?? page.opening,
        closing: page.closing ?? earlier.closing,
        available: page.available ?? earlier.available,
        current: page.current ?? earlier.current,
        currentAvailable: page.currentAvailable ?? earlier.currentAvailable,
        closings: [...earlier.closings, ...page.closings],
        begins: earlier.begins || page.begins,
        ends: earlier.ends || page.ends,
      };

const accountText = ({ account }: StatementHead): string =>
  `account ${account.number} ${account.currency ?? ''}`.trim();

/**
 * Opening and booked entries must make the closing. Where a bank gives the same opening and closing although money
 * moved, it gave one reading for both (seen at Citi), which proves nothing.
 */
const balanceAnomaly = ({ head, balances, booked }: Running): string | null => {
  if (
    balances === null ||
    !(balances.begins && balances.ends) ||
    balances.opening === null ||
    balances.closing === null
  )
    return null;
  const { opening, closing } = balances;
  if (head.report.key.startsWith('group') && equals(opening, closing)) return null;
  const expected = textOf(add(booked, opening));
  return equals(expected, closing)
    ? null
    : `${accountText(head)}: opening and entries make ${expected}, the closing is ${closing}`;
};

const gapAnomaly = (earlier: Running | undefined, { head, balances }: Running): string | null => {
  const closing = earlier?.balances?.closing ?? null;
  const opening = balances?.opening ?? null;
  if (closing === null || opening === null || equals(closing, opening)) return null;
  return `${accountText(head)}: opens with ${opening}, the statement before closes with ${closing}`;
};

const checkBalances = (statements: readonly Running[]): readonly string[] => {
  const anomalies: (string | null)[] = [];
  const latest = new Map<string, Running>();
  for (const statement of statements) {
    const { head, balances } = statement;
    if (head.report.ignored !== null) continue;
    anomalies.push(balanceAnomaly(statement));
    const account = accountText(head);
    const before = latest.get(account);
    // A report on the same day, or a corrected one on an earlier day, does not follow the one before it.
    const follows = (before?.head.report.day ?? '') < (head.report.day ?? '');
    if (follows) anomalies.push(gapAnomaly(before, statement));
    if (balances?.closing != null) latest.set(account, statement);
  }
  return anomalies.filter((text) => text !== null);
};

/** Folds a file's events to its figures. */
export const fileFigures = () => {
  let format: BankFileFormat | null = null;
  let refusal: Refusal | null = null;
  let anomalyCount = 0;
  const anomalies: string[] = [];
  const statements: Running[] = [];
  const byPages = new Map<string, Running>();
  let current: Running | null = null;

  const addAnomaly = (text: string): void => {
    anomalyCount += 1;
    if (anomalies.length < anomaliesListedMax) anomalies.push(text);
  };
  const open = (head: StatementHead): Running => {
    const key = pagesKey(head);
    const earlier = key === null ? undefined : byPages.get(key);
    if (earlier !== undefined) return earlier;
    const opened = { index: statements.length, head, balances: null, transactions: 0, sum: zero, booked: zero };
    statements.push(opened);
    if (key !== null) byPages.set(key, opened);
    return opened;
  };
  const count = (statement: Running, { status, content }: Entry): void => {
    statement.transactions += 1;
    statement.sum = add(statement.sum, content.amount);
    const { currency } = statement.head.account;
    if (content.currency !== currency) {
      addAnomaly(`${accountText(statement.head)}: an entry of ${content.amount} ${content.currency}`);
    } else if (status === 'posted') statement.booked = add(statement.booked, content.amount);
  };
  return {
    /** Answers which of the statements the event belongs to; -1 before the first. */
    apply: (event: FileEvent): number => {
      if (event.type === 'format') format = event.format;
      else if (event.type === 'statement') current = open(event.statement);
      else if (event.type === 'anomaly') addAnomaly(event.text);
      else if (event.type === 'refused') refusal = event.refusal;
      else if (current !== null && event.type === 'entry') count(current, event.entry);
      else if (current !== null && event.type === 'balances')
        current.balances = withPage(current.balances, event.balances);
      return current?.index ?? -1;
    },
    figures: (): FileFigures => {
      const surplus = anomalyCount - anomalies.length;
      return {
        format,
        refusal,
        anomalies: [...anomalies, ...(surplus > 0 ? [`and ${surplus} more`] : []), ...checkBalances(statements)],
        statements: statements.map(({ head, balances, transactions, sum }) => ({
          ...head,
          ...(balances ?? noBalances),
          transactions,
          sum: textOf(sum),
        })),
      };
    },
  };
};

/** Of a statement that the file breaks off in. */
const noBalances: Balances = {
  date: null,
  opening: null,
  closing: null,
  available: null,
  current: null,
  currentAvailable: null,
  closings: [],
  begins: false,
  ends: false,
};
