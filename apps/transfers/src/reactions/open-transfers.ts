import type { Pool } from '@causeway/postgres';

export type OpenTransfer = Readonly<{ transferId: string; status: string }>;

/** More than a worker can have in hand: the list is looked at again before they are done. */
const listMax = 500;

/** Orders whose day has come, and those in execution: what is not in this worker's hand then was in a dead one's. */
export const executable = async (pool: Pool, today: string): Promise<readonly OpenTransfer[]> => {
  const { rows } = await pool.query<OpenTransfer>(
    `SELECT id AS "transferId", status FROM transfers.open_transfer
      WHERE status = 'executing' OR (status = 'queued' AND (execution_date IS NULL OR execution_date <= $1::date))
      ORDER BY created_at, id LIMIT ${listMax}`,
    [today],
  );
  return rows;
};

/** Orders that the bank has, or may have, and whose outcome only it can tell. */
export const unanswered = async (pool: Pool): Promise<readonly OpenTransfer[]> => {
  const { rows } = await pool.query<OpenTransfer>(
    `SELECT id AS "transferId", status FROM transfers.open_transfer
      WHERE status IN ('unknown', 'pending_bank_approval')`,
  );
  return rows;
};
