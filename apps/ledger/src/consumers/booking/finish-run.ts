import type { SyncFetchedV1 } from '@causeway/contracts';
import type { BookingEvent } from '@causeway/domain/ledger';
import { inTransaction } from '@causeway/postgres';
import { v7 as uuid } from 'uuid';
import { bookingStream, type Causes } from './account.ts';
import type { Books } from './book-page.ts';
import { catchUp } from './catch-up.ts';
import { isClosed, lockForBooking } from './connection-lock.ts';
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
  inTransaction(pool, async (tx) => {
    await lockForBooking(tx, connectionId);
    if (await isClosed(tx, connectionId)) return;
    for (const accountId of accountIds) {
      await catchUp(tx, store, { accountId, connectionId, entityId, organization, environment });
    }
    const { changes, refused, pages: came } = await readRun(tx, runId);
    const missing = Math.max(0, pages - came);
    await store.append<BookingEvent>({
      stream: bookingStream(runId),
      // A conflict: it has been said.
      expected: 'no-stream',
      events: [{ id: uuid(), type: 'StatementBooked', data: { connectionId, runId, changes, refused, missing } }],
      metadata: { ...causes, organization, environment, runId },
      dataKey: null,
    });
    await forgetRun(tx, runId);
  });
