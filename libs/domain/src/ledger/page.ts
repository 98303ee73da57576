import { isDecimal } from '@causeway/money';
import type { StatementPage, StatementRow } from './statement.ts';

/** What no bank needs and an index entry (2,704 bytes) still holds. */
export const bankIdCharsMax = 500;

const calendarDay = /^\d{4}-\d{2}-\d{2}$/;

const isDay = (text: string): boolean => {
  if (!calendarDay.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};

const faultOfRow = ({ status, bankId, day, valueDate, content }: StatementRow): string | undefined => {
  if (!isDecimal(content.amount)) return `amount ${content.amount.slice(0, 40)} is not a decimal`;
  if (!isDay(day)) return `${day.slice(0, 40)} is not a day`;
  if (valueDate !== null && !isDay(valueDate)) return `${valueDate.slice(0, 40)} is not a day`;
  if (content.postedDate !== (status === 'posted' ? day : null)) return 'the posted date is not the day of the row';
  if (bankId !== null && (bankId === '' || bankId.length > bankIdCharsMax)) return 'the id is empty or too long';
  if (Object.values(content).some((text) => text?.includes('\u0000'))) return 'a text holds a zero character';
  return bankId?.includes('\u0000') === true ? 'the id holds a zero character' : undefined;
};

/** Why the page cannot be booked, if it cannot: one row that is wrong and nothing of the page is booked. */
export const faultOfPage = ({ rows, closingBalances, coverage }: StatementPage): string | undefined => {
  for (const [index, row] of rows.entries()) {
    const fault = faultOfRow(row);
    if (fault !== undefined) return `row ${index + 1}: ${fault}`;
  }
  for (const { date, amount } of closingBalances) {
    if (!isDay(date) || !isDecimal(amount)) return `closing balance of ${date.slice(0, 40)}: not a day or no decimal`;
  }
  for (const range of [coverage.posted, coverage.pending]) {
    if (range === null || range === 'all') continue;
    if (!isDay(range.from) || !isDay(range.to) || range.from > range.to) return 'the page covers impossible days';
  }
  return undefined;
};
