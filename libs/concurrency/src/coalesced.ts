/**
 * Runs `work` one at a time. Each caller's run begins at the call or later, never before: those who call while one is
 * under way share the one after it.
 */
export const coalesced = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  const run = (): Promise<T> => {
    running = work().finally(() => (running = undefined));
    return running;
  };

  const runNext = (): Promise<T> => {
    next = undefined;
    return run();
  };

  return () => {
    if (running === undefined) return run();
    next ??= running.then(runNext, runNext);
    return next;
  };
};
