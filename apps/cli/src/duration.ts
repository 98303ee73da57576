const secondsIn: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A hundred years: what comes after is a mistake. */
const secondsMax = 100 * 366 * 86_400;

/** `30d`: a whole number of seconds, minutes, hours or days. `undefined`: not one. */
export const secondsOf = (duration: string): number | undefined => {
  const [, count, unit] = /^(\d{1,10})([smhd])$/.exec(duration) ?? [];
  const seconds = Number(count) * (secondsIn[unit ?? ''] ?? Number.NaN);
  return seconds > 0 && seconds <= secondsMax ? seconds : undefined;
};
