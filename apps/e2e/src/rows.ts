import type { TestDatabase } from '@causeway/testing';

type Pool = TestDatabase['pool'];

export const tablesOf = async (pool: Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ table: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS table FROM pg_tables
      WHERE schemaname !~ '^(pg_|information_schema)' ORDER BY 1`,
  );
  return rows.map(({ table }) => table);
};

/** What every table holds, told from anything else that it could hold. */
export const rowsOf = async (pool: Pool): Promise<readonly string[]> => {
  const sums = (await tablesOf(pool)).map(async (table) => {
    const sql = `SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) AS sum FROM ${table} t`;
    return `${table} ${String((await pool.query<{ sum: string | null }>(sql)).rows[0]?.sum)}`;
  });
  return Promise.all(sums);
};
