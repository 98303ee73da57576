const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => uuidPattern.test(text);

export const isDate = (text: string): boolean => {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined || year === '0000') return false;
  // A day that the month does not have comes back as another date.
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
};

const dateTimePattern = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/;

/** With up to six digits of a second's fraction: what PostgreSQL keeps. */
export const isDateTime = (text: string): boolean => isDate(dateTimePattern.exec(text)?.[1] ?? '');
