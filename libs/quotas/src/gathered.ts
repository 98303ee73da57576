type Batch = Readonly<{ ids: Set<string>; taken: Promise<ReadonlySet<string>> }>;

/** Asks of one key that come while one is under way are answered together by the next; keys do not wait for each other. */
export const gathered = (take: (key: string, ids: readonly string[]) => Promise<ReadonlySet<string>>) => {
  const waiting = new Map<string, Batch>();
  const underWay = new Map<string, Promise<unknown>>();

  const gather = (key: string): Batch => {
    const ids = new Set<string>();
    const before = underWay.get(key) ?? Promise.resolve();
    const taken = before.then(() => {
      waiting.delete(key);
      return take(key, [...ids]);
    });
    const done = taken
      .then(Boolean, () => false)
      .then(() => {
        if (underWay.get(key) === done) underWay.delete(key);
      });
    underWay.set(key, done);
    const batch = { ids, taken };
    waiting.set(key, batch);
    return batch;
  };

  return async (key: string, id: string): Promise<boolean> => {
    const batch = waiting.get(key) ?? gather(key);
    batch.ids.add(id);
    return (await batch.taken).has(id);
  };
};
