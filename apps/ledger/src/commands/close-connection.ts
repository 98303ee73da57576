import type { ErasureEvent } from '@causeway/domain/ledger';
import type { Scope } from '@causeway/contracts';
import { inTransaction, type PoolClient } from '@causeway/postgres';
import { v7 as uuid } from 'uuid';
import { erasureStream, type Causes } from '../consumers/booking/account.ts';
import type { Books } from '../consumers/booking/book-page.ts';
import { lockForClosing, markClosed } from '../consumers/booking/connection-lock.ts';

export type Closing = Scope & Readonly<{ connectionId: string; at: string }>;

const isForeign = async (tx: PoolClient, { connectionId, organization, environment }: Closing): Promise<boolean> => {
  const { rowCount } = await tx.query(
    `SELECT FROM ledger.identity_head
      WHERE connection_id = $1 AND (organization, environment) <> ($2, $3) LIMIT 1`,
    [connectionId, organization, environment],
  );
  return rowCount !== 0;
};

/**
 * From here on nothing is booked for the connection, and the views hide what was. Repeating it records nothing: the
 * event is the only one that may open its stream. `foreign`: another organization's, and untouched.
 */
export const closeConnection = async (
  { pool, store }: Books,
  closing: Closing,
  causes: Causes,
): Promise<'closed' | 'foreign'> => {
  const { connectionId, organization, environment, at } = closing;
  const mine = await inTransaction(pool, async (tx) => {
    await lockForClosing(tx, connectionId);
    if (await isForeign(tx, closing)) return false;
    await markClosed(tx, connectionId);
    return true;
  });
  if (!mine) return 'foreign';
  await store.append<ErasureEvent>({
    stream: erasureStream(connectionId),
    expected: 'no-stream',
    events: [{ id: uuid(), type: 'ConnectionErased', data: { connectionId, erasedAt: at } }],
    metadata: { ...causes, organization, environment },
    dataKey: null,
  });
  return 'closed';
};
