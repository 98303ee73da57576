import { openPool, type Pool } from '@causeway/postgres';
import { discardSystem, startSystem, type System } from '@causeway/testing';
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
  rawUrl: string;
  /** Of the feed while it was empty: everything comes after it. */
  feedCursor: string;
  carry(load: Load): Promise<Carried>;
}>;

/** Four years, some 700 rows a day for a million; four accounts; text of a statement's usual length. */
const rowsOf = (table: string): string => `
  INSERT INTO ${table} (id, organization, environment, entity_id, connection_id, account_id, status, posted_date, amount,
    currency, description, rail, raw_description, customer_reference, bank_reference, bai_code, category, mcc,
    merchant_name, added_at, updated_at, event_id, removed)
  SELECT gen_random_uuid(), $1, 'test', md5('entity')::uuid, md5('connection')::uuid, md5('account' || n % 4)::uuid,
    'posted', date '2022-01-01' + (n * 1461::bigint / $2)::int, ((n * 7919::bigint) % 2000000 - 1000000)::numeric / 100, 'USD',
    'CARD PURCHASE NUMBER ' || n, 'card', 'POS DEBIT 0123 STORE ' || n || ' NEW YORK NY', NULL, 'REF' || n, '455',
    'shopping', '5411', 'Store ' || n % 100, at, at, gen_random_uuid(), false
  FROM generate_series(1, $2::int) AS n, LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 ms' AS at) AS moment`;

const seed = async (pool: Pool, organization: string, rows: number): Promise<void> => {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname = 'ledger' AND tablename LIKE 'transactions\\_v%'`,
  );
  const [table] = tables;
  if (table === undefined || tables.length > 1) throw new Error('which table holds the transactions?');
  await pool.query(rowsOf(table.name), [organization, rows]);
  await pool.query(`VACUUM ANALYZE ${table.name}`);
};

/** Starts everything, works, and leaves nothing behind. */
export const withReadSides = async <T>(
  { rows, databaseUrl }: Readonly<{ rows: number; databaseUrl: string }>,
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
    await seed(pool, organization, rows);
    const carry = async (load: Load): Promise<Carried> => {
      client.child.send(load);
      return client.reply<Carried>();
    };
    return await work({ system, pool, headers, rawUrl, feedCursor, carry });
  } finally {
    client.child.disconnect();
    raw.child.disconnect();
    await pool.end();
    await system.stop();
    discardSystem(dataDir);
    rmSync(folder, { recursive: true, force: true });
  }
};
