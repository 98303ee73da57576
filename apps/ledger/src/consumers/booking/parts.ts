import type { StatementPartV1 } from '@causeway/contracts';
import type { DataKeys } from '@causeway/data-keys';
import type { Pool } from '@causeway/postgres';

export type ReceivedPart = Readonly<{ part: StatementPartV1; cipher: Buffer }>;

/** Nothing is kept of a connection that was closed. */
export const keepPart = async (pool: Pool, { part, cipher }: ReceivedPart): Promise<void> => {
  await pool.query(
    `INSERT INTO ledger.statement_part (run_id, page, part, connection_id, context, cipher)
     SELECT $1, $2, $3, $4, $5, $6
      WHERE NOT EXISTS (SELECT FROM ledger.closed_connection WHERE connection_id = $4)
     ON CONFLICT (run_id, page, part) DO NOTHING`,
    [part.runId, part.page, part.part, part.connectionId, part.context, cipher],
  );
};

type KeptPart = Readonly<{ part: number; context: string; cipher: Buffer }>;

const earlierParts = async (pool: Pool, { runId, page, part }: StatementPartV1): Promise<readonly KeptPart[]> => {
  if (part === 0) return [];
  const { rows } = await pool.query<KeptPart>(
    'SELECT part, context, cipher FROM ledger.statement_part WHERE run_id = $1 AND page = $2 AND part < $3 ORDER BY part',
    [runId, page, part],
  );
  return rows;
};

/** The page in clear, or why there is none. `unreadable`: its key was destroyed. */
export type OpenedPage =
  | Readonly<{ outcome: 'opened'; parts: readonly Buffer[] }>
  | Readonly<{ outcome: 'incomplete' }>
  | Readonly<{ outcome: 'unreadable' }>;

/** Of a page whose last part has come. */
export const openPage = async (pool: Pool, dataKeys: DataKeys, { part, cipher }: ReceivedPart): Promise<OpenedPage> => {
  const sealed = [...(await earlierParts(pool, part)), { context: part.context, cipher }];
  if (sealed.length !== part.parts) return { outcome: 'incomplete' };
  const parts: Buffer[] = [];
  for (const each of sealed) {
    const plain = await dataKeys.decrypt(part.connectionId, each.cipher, each.context);
    if (plain === undefined) return { outcome: 'unreadable' };
    parts.push(plain);
  }
  return { outcome: 'opened', parts };
};
