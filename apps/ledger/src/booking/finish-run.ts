import { type Books, catchUp, type Causes, unlessClosed } from '@causeway/booking';
import type { SyncFetchedV1 } from '@causeway/contracts';
import { tellOfRun } from './run-events.ts';
import { forgetRun, readRun } from './runs.ts';

/**
 * Every page of the run has been booked or refused: says so once, however often it is told. What a crash kept out of
 * the index is folded first, so that the count is whole.
 */
export const finishRun = (
  { pool, store }: Books,
  { organization, environment, connectionId, entityId, runId, accountIds, pages }: SyncFetchedV1,
  causes: Causes,
): Promise<void> =>
  unlessClosed(pool, connectionId, async (tx) => {
    const account = { connectionId, organization, environment };
    for (const accountId of accountIds) await catchUp(tx, store, { ...account, accountId, entityId });
    const { changes, refused, pages: came, payments } = await readRun(tx, { runId, connectionId });
    const data = { connectionId, runId, changes, refused, missing: Math.max(0, pages - came) };
    await tellOfRun(store, { account, causes }, { type: 'FinishBooking', data, payments });
    await forgetRun(tx, data);
  });
