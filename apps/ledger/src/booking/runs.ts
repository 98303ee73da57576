import type { BookedPayment } from '@causeway/domain/ledger';
import type { PoolClient } from '@causeway/postgres';
import type { WholePage } from './whole-page.ts';

/**
 * A page is booked, or refused: why nothing of it is. The bytes of the run that are dealt with, this page's among them;
 * undefined when the page has been recorded before.
 */
export const recordPage = async (
  tx: PoolClient,
  { runId, account: { connectionId, accountId }, number, bytes }: WholePage,
  refusal: string | null,
): Promise<number | undefined> => {
  const { rows } = await tx.query<{ bytes: number }>({
    name: 'ledger.record-page',
    text: `WITH page AS (
      INSERT INTO ledger.run_page (run_id, connection_id, page, account_id, refusal) VALUES ($1, $2, $3, $4, $6)
      ON CONFLICT DO NOTHING RETURNING run_id
    )
    INSERT INTO ledger.run AS r (run_id, connection_id, bytes) SELECT run_id, $2, $5 FROM page
    ON CONFLICT (run_id, connection_id) DO UPDATE SET bytes = r.bytes + excluded.bytes RETURNING bytes`,
    values: [runId, connectionId, number, accountId, bytes, refusal],
  });
  return rows[0]?.bytes;
};

type Refusal = Readonly<{ accountId: string; page: number; reason: string }>;
type Run = Readonly<{ runId: string; connectionId: string }>;

export const readRun = async (tx: PoolClient, { runId, connectionId }: Run) => {
  const values = [runId, connectionId];
  const { rows } = await tx.query<{ changes: number; pages: number }>(
    `SELECT coalesce((SELECT changes FROM ledger.run WHERE (run_id, connection_id) = ($1, $2)), 0) AS changes,
            (SELECT count(*) FROM ledger.run_page WHERE (run_id, connection_id) = ($1, $2)) AS pages`,
    values,
  );
  const { rows: refused } = await tx.query<Refusal>(
    `SELECT account_id AS "accountId", page, refusal AS reason FROM ledger.run_page
      WHERE (run_id, connection_id) = ($1, $2) AND refusal IS NOT NULL ORDER BY page`,
    values,
  );
  const { rows: payments } = await tx.query<BookedPayment>(
    `SELECT account_id AS "accountId", transaction_id AS "transactionId", reference FROM ledger.run_payment
      WHERE (run_id, connection_id) = ($1, $2) ORDER BY transaction_id`,
    values,
  );
  return { changes: 0, pages: 0, ...rows[0], refused, payments };
};

/** Once the outcome of a run is an event, nothing else of it is needed but the parts of pages that are not whole. */
export const forgetRun = async (tx: PoolClient, { runId, connectionId }: Run): Promise<void> => {
  await tx.query(
    `DELETE FROM ledger.statement_part s USING ledger.run_page p
      WHERE (s.run_id, s.connection_id) = ($1, $2)
        AND (p.run_id, p.connection_id, p.page) = (s.run_id, s.connection_id, s.page)`,
    [runId, connectionId],
  );
  for (const table of ['run', 'run_page', 'run_payment']) {
    await tx.query(`DELETE FROM ledger.${table} WHERE (run_id, connection_id) = ($1, $2)`, [runId, connectionId]);
  }
};
