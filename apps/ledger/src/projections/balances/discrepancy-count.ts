import type { Pool } from '@causeway/postgres';
import { inSnapshot } from '@causeway/projections';
import { discrepancies } from '@causeway/read-models';

/** It reads every day of every account: some seconds for millions. */
const countedEveryMs = 3_600_000;

const count = (pool: Pool): Promise<number> =>
  inSnapshot(pool, async (tx) => {
    const { text, values } = discrepancies({});
    const { rows } = await tx.query<{ days: string }>(`SELECT count(*) AS days FROM (${text}) found`, [...values]);
    return Number(rows[0]?.days);
  });

/** Days whose balances do not add up, as they were last counted: whoever asks an hour later has them counted again. */
export const discrepancyCount = (pool: Pool): (() => number | undefined) => {
  let last: number | undefined;
  let countedAt = -Infinity;
  const recount = async (): Promise<void> => {
    countedAt = performance.now();
    last = await count(pool);
  };
  return () => {
    if (performance.now() - countedAt >= countedEveryMs) recount().catch(() => (countedAt = -Infinity));
    return last;
  };
};
