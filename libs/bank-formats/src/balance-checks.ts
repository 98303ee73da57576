import { add, compare } from '@causeway/money';
import type { Balances, StatementHead } from './file-event.ts';

export type CheckedStatement = Readonly<{ head: StatementHead; balances: Balances | null; booked: string }>;

export const accountText = ({ account }: StatementHead): string =>
  `account ${account.number} ${account.currency ?? ''}`.trim();

/**
 * Opening and booked entries must make the closing. Where a bank gives the same opening and closing although money
 * moved, it gave one reading for both (seen at Citi, in BAI2), which proves nothing.
 */
const sumAnomaly = ({ head, balances, booked }: CheckedStatement): string | null => {
  if (balances === null || !balances.begins || !balances.ends) return null;
  const { opening, closing } = balances;
  if (opening === null || closing === null) return null;
  const expected = add(opening, booked);
  const isOneReading = head.id === null && compare(opening, closing) === 0;
  if (isOneReading || compare(expected, closing) === 0) return null;
  return `${accountText(head)}: opening and booked entries make ${expected}, the closing is ${closing}`;
};

const gapAnomaly = (earlier: CheckedStatement | undefined, { head, balances }: CheckedStatement): string | null => {
  const closing = earlier?.balances?.closing ?? null;
  const opening = balances?.opening ?? null;
  if (closing === null || opening === null || compare(closing, opening) === 0) return null;
  return `${accountText(head)}: opens with ${opening}, the statement before closes with ${closing}`;
};

/** What the balances of a file's statements contradict: their own entries, or each other from day to day. */
export const balanceAnomalies = (statements: readonly CheckedStatement[]): readonly string[] => {
  const latest = new Map<string, CheckedStatement>();
  return statements.flatMap((statement) => {
    const { head, balances } = statement;
    if (head.report.ignored !== null) return [];
    const account = accountText(head);
    const before = latest.get(account);
    // A second report of a day, or one of an earlier day, does not follow the one before it.
    const follows = (before?.head.report.day ?? '') < (head.report.day ?? '');
    if (typeof balances?.closing === 'string') latest.set(account, statement);
    const found = [sumAnomaly(statement), follows ? gapAnomaly(before, statement) : null];
    return found.filter((text) => text !== null);
  });
};
