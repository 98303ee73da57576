import type { Batch, EventStore, Position } from '@causeway/event-sourcing';

/**
 * Long enough for projections that go side by side, one of them slower by a batch or two; short enough that decrypted
 * events do not linger.
 */
const keptMs = 1000;
/** Batches kept at most. */
const keptMax = 3;

/**
 * The same store, read once for projections that go side by side: what one has just read is given to the next that asks
 * for it, instead of being fetched, decrypted and parsed again. Events do not change, so an answer that held any is good.
 */
export const sharedReads = (store: EventStore): EventStore => {
  const kept = new Map<string, Promise<Batch>>();

  const readAll = (after: Position, limit: number): Promise<Batch> => {
    const key = `${after} ${limit}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const reading = store.readAll(after, limit);
    const forget = (): void => {
      if (kept.get(key) === reading) kept.delete(key);
    };
    for (const oldest of kept.size >= keptMax ? kept.keys() : []) {
      kept.delete(oldest);
      break;
    }
    kept.set(key, reading);
    reading.then(({ position }) => (position === after ? forget() : setTimeout(forget, keptMs).unref()), forget);
    return reading;
  };

  return { ...store, readAll };
};
