import { isDecimal } from '@causeway/money';
import { dateOf, dayOf } from './balances/calendar.ts';
import { contentFields, type StatementPage, type StatementRow, type TransactionContent } from './statement.ts';

/** What no bank needs and an index entry (2,704 bytes) still holds. */
export const bankIdCharsMax = 500;

const calendarDay = /^\d{4}-\d{2}-\d{2}$/;

const daysIn = (year: number, month: number): number => {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
};

const isDay = (text: string): boolean => {
  if (!calendarDay.test(text)) return false;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
};

const holdsZero = (content: TransactionContent): boolean => {
  for (const field of contentFields) if (content[field]?.includes('\u0000') === true) return true;
  return false;
};

/** More than any account holds; sums of as many rows as there are still fit the digits that are computed with. */
const integerDigitsMax = 20;
const yearsBackMax = 15;
const daysAheadMax = 400;

/** What a bank may speak of on a day: a row of another time would make a balance of every day between. */
type Bounds = Readonly<{ from: string; to: string }>;

const boundsOn = (bankDay: string): Bounds => ({
  from: `${Number(bankDay.slice(0, 4)) - yearsBackMax}${bankDay.slice(4)}`,
  to: dateOf(dayOf(bankDay) + daysAheadMax),
});

const isTooLarge = (amount: string): boolean => amount.replace(/^-?0*/, '').split('.', 1)[0]!.length > integerDigitsMax;

const faultWithin = ({ from, to }: Bounds, days: readonly (string | null)[], amounts: readonly string[]) => {
  for (const day of days) if (day !== null && (day < from || day > to)) return `a day is not from ${from} to ${to}`;
  return amounts.some(isTooLarge) ? `an amount of more than ${integerDigitsMax} integer digits` : undefined;
};

/** Why no bank speaks of these days on `bankDay`. */
export const faultOfDays = (bankDay: string, days: readonly (string | null)[]): string | undefined =>
  faultWithin(boundsOn(bankDay), days, []);

const faultOfRow = ({ status, bankId, day, valueDate, content }: StatementRow, bounds: Bounds): string | undefined => {
  if (!isDecimal(content.amount)) return 'the amount is not a decimal';
  if (!isDay(day)) return 'the day is none';
  if (valueDate !== null && !isDay(valueDate)) return 'the value date is no day';
  if (content.postedDate !== (status === 'posted' ? day : null)) return 'the posted date is not the day of the row';
  if (bankId !== null && (bankId === '' || bankId.length > bankIdCharsMax)) return 'the id is empty or too long';
  if (holdsZero(content)) return 'a text holds a zero character';
  if (bankId?.includes('\u0000') === true) return 'the id holds a zero character';
  return faultWithin(bounds, [day, valueDate], [content.amount]);
};

/**
 * Why the page cannot be booked, if it cannot: one row that is wrong and nothing of the page is booked. In words of our
 * own: what the bank said stays in the page, which goes with its connection. `bankDay`: the bank's today when it sent it.
 */
export const faultOfPage = (
  { rows, closingBalances, coverage }: StatementPage,
  bankDay: string,
): string | undefined => {
  if (!isDay(bankDay)) return 'the bank has no day';
  const bounds = boundsOn(bankDay);
  for (const [index, row] of rows.entries()) {
    const fault = faultOfRow(row, bounds);
    if (fault !== undefined) return `row ${index + 1}: ${fault}`;
  }
  for (const { date, amount } of closingBalances) {
    if (!isDay(date) || !isDecimal(amount)) return 'closing balance: not a day or no decimal';
    const fault = faultWithin(bounds, [date], [amount]);
    if (fault !== undefined) return `closing balance: ${fault}`;
  }
  for (const range of [coverage.posted, coverage.pending]) {
    if (range === null || range === 'all') continue;
    if (!isDay(range.from) || !isDay(range.to) || range.from > range.to) return 'the page covers impossible days';
    const fault = faultWithin(bounds, [range.from, range.to], []);
    if (fault !== undefined) return `the days of the page: ${fault}`;
  }
  return undefined;
};

/** A page of its parts: they cover the same, and each holds some of the rows. */
export const wholePage = (parts: readonly StatementPage[]): StatementPage => ({
  coverage: parts[0]!.coverage,
  rows: parts.flatMap(({ rows }) => rows),
  closingBalances: parts.flatMap(({ closingBalances }) => closingBalances),
});
