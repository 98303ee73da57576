import { setTimeout as sleep } from 'node:timers/promises';

/** Waits so long, or until the signal, without throwing. */
export const pause = (ms: number, signal?: AbortSignal): Promise<undefined> =>
  sleep(ms, undefined, signal && { signal }).catch(() => undefined);

/** What the work resolves to; undefined when it still goes on after so long. Rejects as the work does. */
export const within = async <T>(ms: number, work: Promise<T>): Promise<Readonly<{ value: T }> | undefined> => {
  const done = new AbortController();
  try {
    return await Promise.race([work.then((value) => ({ value })), pause(ms, done.signal)]);
  } finally {
    done.abort();
  }
};
