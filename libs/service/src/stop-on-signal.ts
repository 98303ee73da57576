/** A second signal within this long is the same wish: a Ctrl-C reaches npm and, through it, us once more. */
const sameWishMs = 10_000;
/** For the whole stop: its parts share it. */
const stopWithinMs = 9000;
/** What is still under way then is left to the next start, which finds everything that was acknowledged. */
const forceAfterMs = 9500;

/** Runs `stop` at the first SIGTERM or SIGINT and ends the process with status 0 when it is done. */
export const stopOnSignal = (stop: (withinMs: number) => Promise<void>): void => {
  let askedAt: number | undefined;
  const onSignal = (): void => {
    const now = performance.now();
    if (askedAt !== undefined) {
      if (now - askedAt > sameWishMs) process.exit(1);
      return;
    }
    askedAt = now;
    setTimeout(() => process.exit(1), forceAfterMs).unref();
    stop(stopWithinMs).then(
      () => process.exit(0),
      (error: Error) => {
        process.stderr.write(`stopping failed: ${error.stack}\n`);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
};
