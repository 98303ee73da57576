import { contextOfPart, type StatementPartV1 } from '@causeway/contracts';
import type { DataKeys } from '@causeway/data-keys';
import type { Pool } from '@causeway/postgres';

export type ReceivedPart = Readonly<{ part: StatementPartV1; cipher: Buffer }>;

/** Nothing is kept of a connection that was closed. */
const keepPart = async (pool: Pool, { part, cipher }: ReceivedPart): Promise<void> => {
  await pool.query(
    `INSERT INTO ledger.statement_part (run_id, connection_id, page, part, cipher)
     SELECT $1, $2, $3, $4, $5
      WHERE NOT EXISTS (SELECT FROM ledger.closed_connection WHERE connection_id = $2)
     ON CONFLICT DO NOTHING`,
    [part.runId, part.connectionId, part.page, part.part, cipher],
  );
};

const keptParts = async (
  pool: Pool,
  { runId, connectionId, page }: StatementPartV1,
  before: number,
): Promise<readonly Buffer[]> => {
  const { rows } = await pool.query<Pick<ReceivedPart, 'cipher'>>(
    `SELECT cipher FROM ledger.statement_part
      WHERE (run_id, connection_id, page) = ($1, $2, $3) AND part < $4 ORDER BY part`,
    [runId, connectionId, page, before],
  );
  return rows.map(({ cipher }) => cipher);
};

const countKept = async (pool: Pool, { runId, connectionId, page }: StatementPartV1): Promise<number> => {
  const { rows } = await pool.query<{ kept: number }>(
    'SELECT count(*) AS kept FROM ledger.statement_part WHERE (run_id, connection_id, page) = ($1, $2, $3)',
    [runId, connectionId, page],
  );
  return rows[0]?.kept ?? 0;
};

/**
 * The parts of the page, in order, when this one is the last that was missing: mostly the last one there is, and another
 * where that one was set aside and is retried. Until then it is kept.
 */
export const gatherParts = async (pool: Pool, received: ReceivedPart): Promise<readonly Buffer[] | undefined> => {
  const { part, cipher } = received;
  const last = part.parts - 1;
  if (part.part === last) {
    const earlier = last === 0 ? [] : await keptParts(pool, part, last);
    if (earlier.length === last) return [...earlier, cipher];
  }
  await keepPart(pool, received);
  return (await countKept(pool, part)) === part.parts ? keptParts(pool, part, part.parts) : undefined;
};

/** Of a page that was completed late: its run may be forgotten. */
export const forgetParts = async (pool: Pool, { runId, connectionId, page }: StatementPartV1): Promise<void> => {
  await pool.query('DELETE FROM ledger.statement_part WHERE (run_id, connection_id, page) = ($1, $2, $3)', [
    runId,
    connectionId,
    page,
  ]);
};

/** Of the page that `its` is a part of. Undefined: the key was destroyed. */
export const openParts = async (
  dataKeys: DataKeys,
  its: StatementPartV1,
  ciphers: readonly Buffer[],
): Promise<readonly Buffer[] | undefined> => {
  const parts: Buffer[] = [];
  for (const [part, cipher] of ciphers.entries()) {
    const plain = await dataKeys.decrypt(its.connectionId, cipher, contextOfPart({ ...its, part }));
    if (plain === undefined) return undefined;
    parts.push(plain);
  }
  return parts;
};
