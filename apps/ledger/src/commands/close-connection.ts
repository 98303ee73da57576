import { type Books, type Causes, erasureStream, lockForClosing, markClosed } from '@causeway/booking';
import type { ErasureEvent } from '@causeway/domain/ledger';
import type { Scope } from '@causeway/contracts';
import { inTransaction } from '@causeway/postgres';
import { v7 as uuid } from 'uuid';

export type Closing = Scope & Readonly<{ connectionId: string; at: string }>;

/**
 * From here on nothing is booked for the connection, and the views hide what was. Repeating it records nothing: the
 * event is the only one that may open its stream.
 */
export const closeConnection = async ({ pool, store }: Books, closing: Closing, causes: Causes): Promise<void> => {
  const { connectionId, organization, environment, at } = closing;
  await inTransaction(pool, async (tx) => {
    await lockForClosing(tx, connectionId);
    await markClosed(tx, connectionId);
  });
  await store.append<ErasureEvent>({
    stream: erasureStream(connectionId),
    expected: 'no-stream',
    events: [{ id: uuid(), type: 'ConnectionErased', data: { connectionId, erasedAt: at } }],
    metadata: { ...causes, organization, environment },
    dataKey: null,
  });
};
