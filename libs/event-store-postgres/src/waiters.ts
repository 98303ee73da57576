import type { Position } from '@causeway/event-sourcing';

/** `changed` resolves after this long whether or not anything came. */
const changedMaxMs = 10_000;

/** Who wait for the order to go further. `known`: the furthest that `reached` was told. */
export const waiters = () => {
  let known = 0 as Position;
  const waiting = new Set<Readonly<{ after: Position; done: () => void }>>();

  /** Resolves once a position after `after` is known, when the time is over, or with the signal. */
  const wait = (after: Position, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (known > after || signal.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timeout);
        signal.removeEventListener('abort', done);
        waiting.delete(waiter);
        resolve();
      };
      const waiter = { after, done };
      const timeout = setTimeout(done, changedMaxMs);
      signal.addEventListener('abort', done);
      waiting.add(waiter);
    });

  const reached = (head: Position): void => {
    if (head > known) known = head;
    for (const { after, done } of waiting) if (after < known) done();
  };

  /** Nobody waits any more, now or later. */
  const close = (): void => reached(Infinity as Position);

  return { some: (): boolean => waiting.size > 0, known: (): Position => known, wait, reached, close };
};
