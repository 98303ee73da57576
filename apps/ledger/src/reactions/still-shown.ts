import { removedIdsMax } from '@causeway/domain/ledger';
import type { Pool } from '@causeway/postgres';
import { tableOf, type Projector } from '@causeway/projections';

export type ShownRow = Readonly<{ id: string; accountId: string; entityId: string }>;

/** A read model that is further behind has stopped; the erasure comes again. */
const passedMaxMs = 30_000;

/**
 * Rows of a connection that the transactions read model still has, or as they were, at most `removedIdsMax`, once it has seen all that
 * was appended before the call.
 */
export const stillShown =
  (views: Projector, pool: Pool) =>
  async (connectionId: string): Promise<readonly ShownRow[]> => {
    if (!(await views.caughtUp(['transactions'], passedMaxMs))) {
      throw new Error('the transactions read model is too far behind to tell what it still shows');
    }
    const { rows: live } = await pool.query<{ version: number; generation: number }>(
      `SELECT version, generation FROM ledger.projection WHERE name = 'transactions' AND live`,
    );
    if (live[0] === undefined) return [];
    const table = tableOf('ledger', live[0]);
    const { rows } = await pool.query<ShownRow>(
      `SELECT id, account_id AS "accountId", entity_id AS "entityId" FROM (
         SELECT id, account_id, entity_id FROM ${table('transactions')} WHERE connection_id = $1 AND NOT removed
         UNION SELECT id, account_id, entity_id FROM ${table('transaction_versions')} WHERE connection_id = $1) r
        ORDER BY account_id, id LIMIT $2`,
      [connectionId, removedIdsMax],
    );
    return rows;
  };
