import { within } from '@causeway/concurrency';
import { setImmediate as turn } from 'node:timers/promises';
import { BusClosed } from './bus.ts';

/** Where nobody says how long closing may take. */
export const closeWithinMs = 6000;

/** From open over closing to drained. Work that runs is waited for; work that has not begun by then is refused. */
export const lifetime = () => {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  let open = (): void => undefined;
  let isOpen = false;
  const opened = new Promise<void>((resolve, reject) => {
    open = () => {
      isOpen = true;
      resolve();
    };
    closing.signal.addEventListener('abort', () => reject(closing.signal.reason as Error), { once: true });
  });
  opened.catch(() => undefined);

  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    closing.signal.throwIfAborted();
    const result = work();
    running.add(result);
    try {
      return await result;
    } finally {
      running.delete(result);
    }
  };

  const close = async (withinMs = closeWithinMs): Promise<void> => {
    closing.abort(new BusClosed('the bus is closing'));
    await within(withinMs, Promise.allSettled(running));
    // Whoever waited for that work notes a few steps later that it is done.
    await turn();
  };

  const ready = (): boolean => isOpen && !closing.signal.aborted;
  return { open: () => open(), opened, ready, run, close, closing: closing.signal };
};

export type Lifetime = ReturnType<typeof lifetime>;
