import type { Position } from '@causeway/event-sourcing';

/** `changed` resolves after this long whether or not anything came. */
const changedMaxMs = 10_000;

export type Waiters = Readonly<{
  some(): boolean;
  /** Resolves once `release` is told of a position after `after`, when the time is over, or with the signal. */
  wait(after: Position, signal: AbortSignal): Promise<void>;
  release(head: Position): void;
}>;

export const waiters = (): Waiters => {
  const waiting = new Set<Readonly<{ after: Position; done: () => void }>>();

  const wait = (after: Position, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
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

  const release = (head: Position): void => {
    for (const { after, done } of waiting) if (after < head) done();
  };

  return { some: () => waiting.size > 0, wait, release };
};
