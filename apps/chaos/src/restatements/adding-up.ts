import { add, compare } from '@causeway/money';
import type { Json } from '../api.ts';

const dayMs = 86_400_000;
const dayAfter = (date: string): string => new Date(Date.parse(date) + dayMs).toISOString().slice(0, 10);

/**
 * The balances of each account day by day: none is left out, and each is the one before and the day's delta. A day that
 * the bank states otherwise is a discrepancy, to be seen and no fault; a day that we derive is never one.
 */
export const discrepancies = (
  balances: readonly Json[],
): Readonly<{ days: readonly string[]; broken: readonly string[] }> => {
  const days: string[] = [];
  const broken: string[] = [];
  const text = (row: Json, member: string): string => String(row[member]);
  const keyOf = (row: Json): string => `${text(row, 'accountId')} ${text(row, 'date')}`;
  const sorted = balances.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  sorted.forEach((row, place) => {
    const before = sorted[place - 1];
    if (before === undefined || before['accountId'] !== row['accountId']) return;
    if (dayAfter(text(before, 'date')) !== row['date'])
      broken.push(`no balance between ${keyOf(before)} and ${keyOf(row)}`);
    const expected = add(text(before, 'ledgerBalance'), text(row, 'postedTransactionDelta'));
    if (compare(expected, text(row, 'ledgerBalance')) === 0) return;
    if (row['source'] === 'derived') broken.push(`the derived balance ${keyOf(row)} does not add up`);
    else days.push(keyOf(row));
  });
  return { days, broken };
};
