import type { Pool, PoolClient } from '@causeway/postgres';

export type Refusal = Readonly<{ accountId: string; page: number; reason: string }>;

/** What a client is told of it, at most. */
const reasonCharsMax = 500;

export const recordRefusal = async (pool: Pool, runId: string, { accountId, page, reason }: Refusal): Promise<void> => {
  await pool.query(
    `INSERT INTO ledger.run_refusal (run_id, page, account_id, reason) VALUES ($1, $2, $3, $4)
     ON CONFLICT (run_id, page) DO UPDATE SET reason = excluded.reason`,
    [runId, page, accountId, reason.slice(0, reasonCharsMax)],
  );
};

/** A page of the run came whole and has been dealt with. Safe to repeat. */
export const recordPage = async (
  db: Pool | PoolClient,
  { runId, number }: Readonly<{ runId: string; number: number }>,
): Promise<void> => {
  const text = 'INSERT INTO ledger.run_page (run_id, page) VALUES ($1, $2) ON CONFLICT DO NOTHING';
  await db.query({ name: 'ledger.record-page', text, values: [runId, number] });
};

export type RunOutcome = Readonly<{ changes: number; refused: readonly Refusal[]; pages: number }>;

export const readRun = async (tx: PoolClient, runId: string): Promise<RunOutcome> => {
  const { rows } = await tx.query<{ changes: string }>(
    'SELECT coalesce(sum(changes), 0) AS changes FROM ledger.run_change WHERE run_id = $1',
    [runId],
  );
  const { rows: refused } = await tx.query<Refusal>(
    'SELECT account_id AS "accountId", page, reason FROM ledger.run_refusal WHERE run_id = $1 ORDER BY page',
    [runId],
  );
  const { rows: came } = await tx.query<{ pages: number }>(
    'SELECT count(*) AS pages FROM ledger.run_page WHERE run_id = $1',
    [runId],
  );
  return { changes: Number(rows[0]?.changes), refused, pages: came[0]?.pages ?? 0 };
};

/** Once the outcome of a run is an event, nothing else of it is needed. */
export const forgetRun = async (tx: PoolClient, runId: string): Promise<void> => {
  for (const table of ['run_change', 'run_refusal', 'run_page', 'statement_part']) {
    await tx.query(`DELETE FROM ledger.${table} WHERE run_id = $1`, [runId]);
  }
};
