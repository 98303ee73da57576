import type { PageRange } from '@causeway/domain/connections';
import { inTransaction, type Pool } from '@causeway/postgres';

export type KeptPage = Readonly<{ page: number; accountId: string; range: PageRange; sha256: string }>;

export type KeptPages = Readonly<{
  /** SHA-256 of the account's newest page by `rangeKey`. */
  ofAccount(accountId: string): Promise<Map<string, string>>;
  /** Pages of one run, in order, and how far its stream is dealt with by that. Safe to repeat. */
  keep(run: Run, pages: readonly KeptPage[], dealtWith: DealtWith): Promise<void>;
  /** The ledger could not take these: when they come again they are sent on again. All of the run when left out. */
  forget(run: Run, pages?: readonly number[]): Promise<void>;
}>;

/** `sentBytes`: of all whole pages of the run up to `revision`. */
export type DealtWith = Readonly<{ revision: number; sentBytes: number }>;

type Run = Readonly<{ runId: string; connectionId: string }>;

export const rangeKey = (range: PageRange): string => ('name' in range ? range.name : `${range.from} ${range.to}`);

/** A page over days replaces every page whose days overlap, a named one the page of that name. */
const keepSql = `
  WITH replaced AS (
    DELETE FROM connections.kept_page
     WHERE account_id = $1 AND (name = $4 OR (range_from <= $3::date AND range_to >= $2::date))
       AND (run_id, page) <> ($5::uuid, $6::int)
  )
  INSERT INTO connections.kept_page (account_id, range_from, range_to, name, run_id, page, connection_id, sha256)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (run_id, page) DO NOTHING`;

export const keptPages = (pool: Pool): KeptPages => ({
  ofAccount: async (accountId) => {
    const { rows } = await pool.query<{ key: string; sha256: string }>(
      `SELECT coalesce(name, to_char(range_from, 'YYYY-MM-DD ') || to_char(range_to, 'YYYY-MM-DD')) AS key, sha256
         FROM connections.kept_page WHERE account_id = $1`,
      [accountId],
    );
    return new Map(rows.map(({ key, sha256 }) => [key, sha256]));
  },

  keep: ({ runId, connectionId }, pages, { revision, sentBytes }) =>
    inTransaction(pool, async (tx) => {
      for (const { accountId, range, page, sha256 } of pages) {
        const [from, to, name] = 'name' in range ? [null, null, range.name] : [range.from, range.to, null];
        const values = [accountId, from, to, name, runId, page, connectionId, sha256];
        await tx.query({ name: 'kept_page.keep', text: keepSql, values });
      }
      await tx.query(
        `UPDATE connections.sync_run
            SET pages = $2, revision = $3, whole_pages = whole_pages + $4, sent_bytes = $5
          WHERE run_id = $1`,
        [runId, (pages.at(-1)?.page ?? -1) + 1, revision, pages.length, sentBytes],
      );
    }),

  forget: async ({ runId, connectionId }, pages) => {
    await pool.query(
      `DELETE FROM connections.kept_page
        WHERE run_id = $1 AND connection_id = $2 AND ($3::int[] IS NULL OR page = ANY ($3))`,
      [runId, connectionId, pages ?? null],
    );
  },
});
