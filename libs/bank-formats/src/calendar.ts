export type ReadDate = Readonly<{ date: string; /** The bank wrote a day that does not exist. */ clamped: boolean }>;

const lastDayOf = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** Years a statement may speak of. Others are typing errors, and PostgreSQL has no year 0. */
const yearMin = 1900;
const yearMax = 2199;

const dateOf = (year: string, month: string, day: string): ReadDate | null => {
  if (Number(year) < yearMin || Number(year) > yearMax) return null;
  const last = lastDayOf(Number(year), Number(month));
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return null;
  const clamped = Number(day) > last;
  return { date: `${year}-${month}-${clamped ? String(last) : day}`, clamped };
};

/** `YYYY-MM-DD` with or without a time behind it, cut to the local date. 30 February becomes the month's last day. */
export const readIsoDate = (text: string): ReadDate | null => {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)(?!\d)/.exec(text) ?? [];
  return year === '' ? null : dateOf(year, month, day);
};

/** `YYMMDD`, years 1970 to 2069, or `YYYYMMDD`. */
export const readCompactDate = (text: string): ReadDate | null => {
  const [, century = '', year = '', month = '', day = ''] = /^(\d\d)?(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  if (year === '') return null;
  return dateOf(`${century || (Number(year) >= 70 ? '19' : '20')}${year}`, month, day);
};

export const nextDay = (date: string): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + 24 * 60 * 60 * 1000).toISOString().slice(0, 10);

/** An ISO date-time in UTC with milliseconds; one without a zone is taken as UTC. Null when it is none. */
export const readTimestamp = (text: string): string | null => {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (match === null) return null;
  const milliseconds = (match[2] ?? '.').slice(0, 4).padEnd(4, '0');
  const time = Date.parse(`${match[1]}${milliseconds}${match[3] ?? 'Z'}`);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
};
