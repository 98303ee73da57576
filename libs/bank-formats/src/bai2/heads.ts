import { readCompactDate } from '../calendar.ts';
import { isCurrency } from '../currency.ts';
import type { FileAccount, Report } from '../file-event.ts';
import { accountNumberCharsMax } from '../limits.ts';
import { refuse } from '../refused.ts';

/** Neither the 03 nor the 02 need name a currency. */
const defaultCurrency = 'USD';

export type Bai2Group = Readonly<{
  originator: string;
  currency: string;
  report: Report;
  date: string;
  isInterim: boolean;
}>;

/** BAI2 writes 2400 for the end of the day and 9999 for no time at all, and never a zone. */
const timestampOf = (date: string, time: string): string => {
  const isTime = /^([01]\d|2[0-3])[0-5]\d$/.test(time);
  return `${date}T${isTime ? `${time.slice(0, 2)}:${time.slice(2)}:00.000` : '23:59:59.999'}Z`;
};

const statuses = ['', '1', '2', '3', '4'];

/** 02: receiver, originator, status, as-of date, time, currency, as-of modifier. `number` counts the groups of the file. */
export const readGroup = (fields: readonly string[], number: number, line: number): Bai2Group => {
  const [, , originator = '', status = '', asOf = '', time = '', currency = '', modifier = ''] = fields;
  const read = readCompactDate(asOf);
  if (read === null || read.clamped)
    return refuse(`the group's as-of date ${asOf || '(none)'} does not exist`, { line });
  if (!statuses.includes(status)) return refuse(`unknown group status ${status}`, { line });
  const { date } = read;
  const report: Report = {
    key: `group ${number}`,
    day: date,
    pending: modifier === '3',
    // Without a modifier the group does not say whether more of its day is to come.
    covers: modifier === '2' || modifier === '4' ? { from: date, to: date } : null,
    corrects: status === '3',
    ignored: status === '2' ? 'deleted' : status === '4' ? 'test' : null,
    createdAt: timestampOf(date, time),
  };
  const isInterim = modifier === '1' || modifier === '3';
  return { originator, currency: currency.toUpperCase() || defaultCurrency, report, date, isInterim };
};

/** 03: account number, currency, summaries. */
export const readAccount = (
  fields: readonly string[],
  group: Bai2Group,
  line: number,
): FileAccount & { currency: string } => {
  const [, number = '', ownCurrency = ''] = fields;
  const currency = ownCurrency.toUpperCase() || group.currency;
  if (number === '' || number.length > accountNumberCharsMax)
    return refuse('an account has no number that could be one', { line });
  if (group.originator.length > accountNumberCharsMax) return refuse('the originator is no bank identifier', { line });
  if (!isCurrency(currency)) return refuse(`${currency} is not a currency`, { line });
  return {
    bank: group.originator,
    number,
    currency,
    name: null,
    typeCode: null,
    // Nine digits are the bank's ABA number.
    routingNumber: /^\d{9}$/.test(group.originator) ? group.originator : null,
    swiftBic: null,
  };
};
