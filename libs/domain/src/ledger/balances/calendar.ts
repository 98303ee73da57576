const dayMs = 86_400_000;

/** Days since 1970. A calendar date, in no time zone. */
export const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs;

export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
