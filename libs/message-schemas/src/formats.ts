import type { Format } from 'ajv';

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const day = /^\d{4}-\d\d-\d\d$/;

/** 30 February reads as 2 March. */
const isDay = (text: string): boolean => day.test(text) && new Date(text).getUTCDate() === Number(text.slice(8));

/** Those that `libs/contracts/src/values.ts` names. */
export const formats: Readonly<Record<string, Format>> = {
  uuid,
  'date-time': (text: string) => time.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
  date: isDay,
};
