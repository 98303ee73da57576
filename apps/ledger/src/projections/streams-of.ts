import { erasureStream, ledgerStream } from '@causeway/booking';
import { columnOfScope, type Projection } from '@causeway/projections';

type StreamsOf = NonNullable<Projection['streamsOf']>;

/**
 * The ledgers of the accounts, and what tells of their erasure. Accounts of which pages were booked, and those that are
 * shown: the index may be behind, and the rows may be wrong.
 */
export const streamsOf =
  (logical: string): StreamsOf =>
  async (pool, live, { of, id }) => {
    const column = columnOfScope[of];
    const { rows } = await pool.query<{ accountId: string; connectionId: string }>(
      `SELECT account_id AS "accountId", connection_id AS "connectionId" FROM ledger.identity_head WHERE ${column} = $1
       UNION SELECT account_id, connection_id FROM ${live(logical)} WHERE ${column} = $1`,
      [id],
    );
    const streams = rows.flatMap(({ accountId, connectionId }) => [
      ledgerStream(accountId),
      erasureStream(connectionId),
    ]);
    return [...new Set(streams)];
  };
