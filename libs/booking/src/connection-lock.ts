import { inTransaction, type Pool, type PoolClient } from '@causeway/postgres';

const key = (connectionId: string): string => `ledger of connection ${connectionId}`;

/**
 * Held by whoever books for a connection, until the end of the transaction; whoever closes the connection waits for
 * them. So nothing is booked once a connection is closed. A statement of its own: the next one sees what was committed
 * while it waited.
 *
 * The settings of the transaction come along for one round trip. A plan made for a table that was small then would go on
 * reading all of it when it has grown. And the commit waits for no disk: what the transaction writes is a fold of events
 * that are on it; what a crash takes away is folded again.
 */
export const lockForBooking = async (tx: PoolClient, connectionId: string): Promise<void> => {
  await tx.query({
    name: 'ledger.lock-for-booking',
    text: `SELECT set_config('enable_seqscan', 'off', true), set_config('synchronous_commit', 'off', true),
                  pg_advisory_xact_lock_shared(hashtextextended($1, 0))`,
    values: [key(connectionId)],
  });
};

export const lockForClosing = async (tx: PoolClient, connectionId: string): Promise<void> => {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [key(connectionId)]);
};

export const isClosed = async (tx: PoolClient, connectionId: string): Promise<boolean> => {
  const { rowCount } = await tx.query({
    name: 'ledger.closed',
    text: 'SELECT FROM ledger.closed_connection WHERE connection_id = $1',
    values: [connectionId],
  });
  return rowCount !== 0;
};

export const markClosed = async (tx: PoolClient, connectionId: string): Promise<void> => {
  await tx.query(
    'INSERT INTO ledger.closed_connection (connection_id) VALUES ($1) ON CONFLICT (connection_id) DO NOTHING',
    [connectionId],
  );
};

/** Does the work where the connection is not closed, and nobody closes it until it is done. */
export const unlessClosed = (
  pool: Pool,
  connectionId: string,
  work: (tx: PoolClient) => Promise<void>,
): Promise<void> =>
  inTransaction(pool, async (tx) => {
    await lockForBooking(tx, connectionId);
    if (!(await isClosed(tx, connectionId))) await work(tx);
  });
