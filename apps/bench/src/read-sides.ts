import { openPool, type Pool } from '@causeway/postgres';
import { discardSystem, startSystem, type System } from '@causeway/testing';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Carried, Load } from './load.worker.ts';
import { worker } from './worker.ts';

/** Both servers on one database, and a client for them; each in a process of its own. */
export type ReadSides = Readonly<{
  system: System;
  pool: Pool;
  headers: Readonly<Record<string, string>>;
  /** Of ours. */
  table: string;
  rawUrl: string;
  /** Of the feed while it was empty: everything comes after it. */
  feedCursor: string;
  carry(load: Load): Promise<Carried>;
}>;

/** Of an organization of these rows: `entity`, `connection`, `account0` to `account3`. */
export const seededId = (organization: string, name: string): string => {
  const digits = createHash('md5').update(`${organization} ${name}`).digest('hex');
  return [0, 8, 12, 16, 20].map((from, n, all) => digits.slice(from, all[n + 1])).join('-');
};

/**
 * Four years, some 700 rows a day for a million; four accounts; text of a statement's usual length. In a thousand one is
 * pending, one cancelled and one reversed, and in five thousand one is a wire; the pending are all of `account1`.
 */
const rowsOf = (table: string): string => `
  INSERT INTO ${table} (id, organization, environment, entity_id, connection_id, account_id, status, rail, sort_date,
    added_at, updated_at, event_id, removed, json)
  SELECT r.id, $1, 'test', md5($1::text || ' entity')::uuid, r."connectionId", r."accountId", r.status, r.rail,
    coalesce(r."postedDate", 'infinity'), at, at, gen_random_uuid(), false, row_to_json(r)::text
  FROM generate_series(1, $2::int) AS n,
  LATERAL (SELECT CASE n % 1000 WHEN 1 THEN 'pending' WHEN 2 THEN 'cancelled' WHEN 3 THEN 'reversed' ELSE 'posted' END
    AS status) AS state,
  LATERAL (SELECT timestamptz '2026-01-01Z' + n * interval '1 ms' AS at) AS moment,
  LATERAL (SELECT ((n * 7919::bigint) % 2000000 - 1000000)::numeric / 100 AS amount) AS money,
  LATERAL (SELECT gen_random_uuid() AS id, md5($1::text || ' connection')::uuid AS "connectionId",
    md5($1::text || ' account' || n % 4)::uuid AS "accountId", status,
    CASE WHEN status IN ('posted', 'reversed') THEN date '2022-01-01' + (n * 1461::bigint / $2)::int END AS "postedDate",
    to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updatedAt", round(amount, 2)::text AS amount,
    'USD' AS currency, CASE WHEN amount < 0 THEN 'debit' ELSE 'credit' END AS "entryType",
    'CARD PURCHASE NUMBER ' || n AS description,
    CASE WHEN n % 5000 = 4 THEN 'wire' ELSE 'card' END AS rail,
    'POS DEBIT 0123 STORE ' || n || ' NEW YORK NY' AS "rawDescription", NULL AS "customerReference",
    'REF' || n AS "bankReference", '455' AS "baiCode", 'shopping' AS category, NULL AS subcategory, '5411' AS mcc,
    'Store ' || n % 100 AS "merchantName", NULL AS "counterpartyName", NULL AS "counterpartyAccountMasked") AS r`;

/** The same rows as columns, under the same two orders: what the baseline reads. */
const rawRowsOf = (table: string): readonly string[] => [
  `CREATE SCHEMA raw`,
  `CREATE TABLE raw.transactions (id uuid PRIMARY KEY, organization text, environment text, "connectionId" uuid,
     "accountId" uuid, status text, "postedDate" date, "updatedAt" timestamptz, amount numeric, currency text,
     "entryType" text, description text, rail text, "rawDescription" text, "customerReference" text, "bankReference" text,
     "baiCode" text, category text, subcategory text, mcc text, "merchantName" text, "counterpartyName" text,
     "counterpartyAccountMasked" text, sort_date date, added_at timestamptz, event_id uuid, removed boolean)`,
  `INSERT INTO raw.transactions
     SELECT c.* FROM ${table} t, jsonb_populate_record(NULL::raw.transactions, to_jsonb(t) || t.json::jsonb) AS c`,
  `CREATE INDEX ON raw.transactions (organization, environment, sort_date, id) WHERE NOT removed`,
  `CREATE INDEX ON raw.transactions (organization, environment, "updatedAt", id)`,
  `VACUUM ANALYZE raw.transactions`,
];

/** Of somebody else, among ours: a tenth as many. */
export const otherOrganization = 'other';

/** The name of the table that holds them. */
const seed = async (pool: Pool, organization: string, rows: number): Promise<string> => {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname = 'ledger' AND tablename LIKE 'transactions\\_v%'`,
  );
  const [table] = tables;
  if (table === undefined || tables.length > 1) throw new Error('which table holds the transactions?');
  await pool.query(rowsOf(table.name), [organization, rows]);
  await pool.query(rowsOf(table.name), [otherOrganization, Math.ceil(rows / 10)]);
  await pool.query(`VACUUM ANALYZE ${table.name}`);
  return table.name;
};

/** Starts everything, works, and leaves nothing behind. `hasBaseline`: there is something for the raw server to read. */
export const withReadSides = async <T>(
  { rows, databaseUrl, hasBaseline = true }: Readonly<{ rows: number; databaseUrl: string; hasBaseline?: boolean }>,
  work: (sides: ReadSides) => Promise<T>,
): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
  const dataDir = join(folder, 'var');
  const env = { CAUSEWAY_DATABASE_URL: databaseUrl, CAUSEWAY_REQUESTS_PER_SECOND: '0' };
  const system = await startSystem({ dataDir, env });
  const pool = openPool({ url: databaseUrl, applicationName: 'bench', connectionsMax: 2, statementMaxMs: 3_600_000 });
  const { organization, testKey, baseUrl } = system;
  const raw = worker('raw-reads', [databaseUrl, organization]);
  const client = worker('load');
  try {
    const headers = { authorization: `Bearer ${testKey}` };
    const head = await fetch(`${baseUrl}/v1/transactions/sync`, { headers });
    const { nextCursor: feedCursor } = (await head.json()) as { nextCursor: string };
    const rawUrl = `http://127.0.0.1:${await raw.reply<number>()}`;
    const table = await seed(pool, organization, rows);
    if (hasBaseline) for (const statement of rawRowsOf(table)) await pool.query(statement);
    const carry = async (load: Load): Promise<Carried> => {
      client.child.send(load);
      return client.reply<Carried>();
    };
    return await work({ system, pool, headers, table, rawUrl, feedCursor, carry });
  } finally {
    client.child.disconnect();
    raw.child.disconnect();
    await pool.end();
    await system.stop();
    discardSystem(dataDir);
    rmSync(folder, { recursive: true, force: true });
  }
};
