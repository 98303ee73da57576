import type { Reads } from '../edge/reads.ts';

/** Far above what a database at work needs, below what probes wait for. */
const answerWithinMs = 1500;

/** Whether the database answers. However many ask at a time, it is asked once. */
export const databaseProbe = (reads: Reads, withinMs = answerWithinMs): (() => Promise<boolean>) => {
  let asking: Promise<boolean> | undefined;

  const ask = async (): Promise<boolean> => {
    let late: NodeJS.Timeout | undefined;
    const silent = new Promise<false>((resolve) => (late = setTimeout(resolve, withinMs, false)));
    const answered = reads.row({ text: 'SELECT 1', values: [] }).then(
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
  return () => (asking ??= ask());
};
