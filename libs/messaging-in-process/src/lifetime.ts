import { BusClosed } from '@causeway/messaging';
import { setTimeout as sleep } from 'node:timers/promises';

/** From open over closing to drained. Work that runs is waited for; work that has not begun by then is refused. */
export const lifetime = (drainMs: number) => {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve, reject) => {
    open = resolve;
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

  const close = async (): Promise<void> => {
    closing.abort(new BusClosed('the bus is closing'));
    const drained = new AbortController();
    const deadline = sleep(drainMs, undefined, { signal: drained.signal }).catch(() => undefined);
    await Promise.race([Promise.allSettled(running), deadline]);
    drained.abort();
  };

  return { open: () => open(), opened, run, close, closing: closing.signal };
};

export type Lifetime = ReturnType<typeof lifetime>;
