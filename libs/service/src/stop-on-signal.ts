/** A second signal within this long is the same wish: a Ctrl-C reaches npm and, through it, us once more. */
const sameWishMs = 10_000;
/** What is still under way then is left to the next start, which finds everything that was acknowledged. */
const stopTimeoutMs = 9500;

/** Runs `stop` at the first SIGTERM or SIGINT and ends the process with status 0 when it is done. */
export const stopOnSignal = (stop: () => Promise<void>): void => {
  let asked = 0;
  const onSignal = (): void => {
    const now = Date.now();
    if (asked > 0) {
      if (now - asked > sameWishMs) process.exit(1);
      return;
    }
    asked = now;
    setTimeout(() => process.exit(1), stopTimeoutMs).unref();
    stop().then(
      () => process.exit(0),
      (error: Error) => {
        process.stderr.write(`stopping failed: ${error.stack}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
};
