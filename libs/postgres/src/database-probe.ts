import { within } from '@causeway/concurrency';

/** Far above what a database at work needs, below what probes wait for. */
const answerWithinMs = 1500;

/** Whether the database answers `ask`, for readiness. However many want to know at a time, it is asked once. */
export const databaseProbe = (ask: () => Promise<unknown>, withinMs = answerWithinMs): (() => Promise<boolean>) => {
  let asking: Promise<boolean> | undefined;
  const probe = (): Promise<boolean> =>
    within(withinMs, ask())
      .then(Boolean, () => false)
      .finally(() => (asking = undefined));
  return () => (asking ??= probe());
};
