/** Whole days since 1970-01-01; the bank keeps its books in UTC. */
export type Day = number;

const dayMs = 86_400_000;
const texts = new Map<Day, string>();

export const dayOf = (timeMs: number): Day => Math.floor(timeMs / dayMs);

/** `YYYY-MM-DD`. Remembered, because every row of a page asks for its day. */
export const dayText = (day: Day): string => {
  const known = texts.get(day);
  if (known !== undefined) return known;
  const text = new Date(day * dayMs).toISOString().slice(0, 10);
  texts.set(day, text);
  return text;
};

/** Undefined for anything but a day that exists, written `YYYY-MM-DD`. */
export const parseDay = (text: string): Day | undefined => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = Date.parse(text) / dayMs;
  return Number.isInteger(day) && dayText(day) === text ? day : undefined;
};

export const timeText = (timeMs: number): string => new Date(timeMs).toISOString();
