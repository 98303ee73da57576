/**
 * Remembers what `find` answered for a fixed time; those who ask at once share one answer. A failure is not remembered.
 * All entries live equally long, so the oldest stand first and memory holds no more than that time's keys.
 */
export const expiring = <T>(find: (key: string) => Promise<T>, rememberedMs: number) => {
  const entries = new Map<string, { until: number; found: Promise<T> }>();

  const dropOld = (now: number): void => {
    for (const [key, { until }] of entries) {
      if (until > now) return;
      entries.delete(key);
    }
  };

  const get = (key: string): Promise<T> => {
    const now = performance.now();
    dropOld(now);
    const known = entries.get(key);
    if (known !== undefined) return known.found;
    const entry = { until: now + rememberedMs, found: find(key) };
    entries.set(key, entry);
    entry.found.catch(() => entries.get(key) === entry && entries.delete(key));
    return entry.found;
  };

  return { get, forget: (key: string): boolean => entries.delete(key) };
};
