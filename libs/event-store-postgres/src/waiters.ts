import type { Position } from '@causeway/event-sourcing';

/** `changed` resolves after this long whether or not anything came. */
const changedMaxMs = 10_000;

export type Waiters = Readonly<{
  some(): boolean;
  /** The furthest that `reached` was told. */
  known(): Position;
  /** Resolves once a position after `after` is known, when the time is over, or with the signal. */
  wait(after: Position, signal: AbortSignal): Promise<void>;
  reached(head: Position): void;
  /** Nobody waits any more, now or later. */
  close(): void;
}>;

export const waiters = (): Waiters => {
  let known = 0 as Position;
  const waiting = new Set<Readonly<{ after: Position; done: () => void }>>();

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

  const close = (): void => reached(Infinity as Position);

  return { some: () => waiting.size > 0, known: () => known, wait, reached, close };
};
