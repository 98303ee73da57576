import type { Position } from '@causeway/event-sourcing';

/** Looks follow each other no faster than this: under load one look then serves many appends. */
const spacingMs = 4;
/** How often other processes' appends are looked for while someone waits: often after some came, else ever less. */
const pollMinMs = 5;
const pollMaxMs = 50;
/** `changed` resolves after this long whether or not anything came. */
const changedMaxMs = 1000;

export type Sequencer = Readonly<{
  /** Something was appended here. */
  wake(): void;
  head(): Promise<Position>;
  changed(after: Position, signal: AbortSignal): Promise<void>;
  /** Resolves when nothing is under way any more. */
  close(): Promise<void>;
}>;

type Waiter = Readonly<{ after: Position; resolve: () => void }>;

/** Calls `sequence` at once for appends of this process, and now and then for those of others while someone waits. */
export const startSequencer = (sequence: () => Promise<Position>): Sequencer => {
  const waiters = new Set<Waiter>();
  let known = 0 as Position;
  let lookedAt = -Infinity;
  let pollMs = pollMinMs;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<Position> | undefined;
  let next: Promise<Position> | undefined;

  const look = async (): Promise<Position> => {
    lookedAt = performance.now();
    const position = await sequence();
    pollMs = position > known ? pollMinMs : Math.min(pollMs * 2, pollMaxMs);
    if (position > known) known = position;
    for (const waiter of waiters) if (waiter.after < known) waiter.resolve();
    return position;
  };

  const run = (): Promise<Position> => {
    running = look().finally(() => (running = undefined));
    return running;
  };

  /** A look that begins now or later: all who ask while one is under way share the one after it. */
  const head = (): Promise<Position> => {
    if (running === undefined) return run();
    const begin = (): Promise<Position> => {
      next = undefined;
      return run();
    };
    next ??= running.then(begin, begin);
    return next;
  };

  const tick = async (): Promise<void> => {
    timer = undefined;
    try {
      await head();
    } catch {
      // The database is away: whoever appends or reads is told so by their own call. Looking goes on.
      pollMs = pollMaxMs;
      schedule(pollMs);
    }
    if (waiters.size > 0) schedule(pollMs);
  };

  const schedule = (inMs: number): void => {
    if (!closed) timer ??= setTimeout(() => void tick(), inMs);
  };

  const wake = (): void => {
    if (closed) return;
    clearTimeout(timer);
    timer = undefined;
    const inMs = lookedAt + spacingMs - performance.now();
    if (inMs > 0) schedule(inMs);
    else void tick();
  };

  const changed = (after: Position, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (known > after || signal.aborted || closed) return resolve();
      const done = (): void => {
        clearTimeout(timeout);
        signal.removeEventListener('abort', done);
        waiters.delete(waiter);
        resolve();
      };
      const waiter = { after, resolve: done };
      const timeout = setTimeout(done, changedMaxMs);
      signal.addEventListener('abort', done);
      waiters.add(waiter);
      schedule(pollMs);
    });

  const close = async (): Promise<void> => {
    closed = true;
    clearTimeout(timer);
    for (const waiter of waiters) waiter.resolve();
    await Promise.allSettled([running, next]);
  };

  return { wake, head, changed, close };
};
