import { ledgerStream } from '@causeway/booking';
import type { BookingEvent } from '@causeway/domain/ledger';
import type { Sequenced } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import { isParked } from '@causeway/projections';

/** Whether the read models, which have passed the event, hold back what a run has booked: of its own connection only. */
export const isHeldBack = async (pool: Pool, event: Sequenced): Promise<boolean> => {
  if (event.type !== 'StatementBooked') return false;
  const { connectionId } = (event as Sequenced<BookingEvent>).data;
  const { rows } = await pool.query<{ id: string }>(
    `SELECT account_id AS id FROM ledger.identity_head WHERE connection_id = $1`,
    [connectionId],
  );
  const streams = rows.map(({ id }) => ledgerStream(id));
  return isParked(pool, 'ledger', streams);
};
