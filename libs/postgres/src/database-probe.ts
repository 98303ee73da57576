/** Far above what a database at work needs, below what probes wait for. */
const answerWithinMs = 1500;

/** Whether the database answers `ask`, for readiness. However many want to know at a time, it is asked once. */
export const databaseProbe = (ask: () => Promise<unknown>, withinMs = answerWithinMs): (() => Promise<boolean>) => {
  let asking: Promise<boolean> | undefined;

  const probe = async (): Promise<boolean> => {
    let late: NodeJS.Timeout | undefined;
    const silent = new Promise<false>((resolve) => (late = setTimeout(resolve, withinMs, false)));
    const answered = ask().then(
      () => true,
      () => false,
    );
    try {
      return await Promise.race([answered, silent]);
    } finally {
      clearTimeout(late);
      asking = undefined;
    }
  };
  return () => (asking ??= probe());
};
