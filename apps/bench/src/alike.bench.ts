import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inPairs, type Measurement } from './measurement.ts';
import { percentile } from './percentile.ts';
import { newConnection, onSystem, request, untilSynced, type Bench } from './synced-system.ts';

/** Of one day and amount, without an id of the bank's own; their text is one, or each has its own. */
const rowsBefore = 2000;
type Kind = 'alike' | 'different';
/** Of each sync: a page each, booked one after the other. */
const accounts = 15;
const warmUpPages = 2;

/** A bank's final report of yesterday, in BAI2: one account and so many rows. */
const report = (account: number, rows: number, kind: Kind): string => {
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(2, 10).replaceAll('-', '');
  const cents = 4999;
  const sum = rows * cents;
  return [
    `01,091000019,BENCH,${day},0500,${account},,,2/`,
    `02,BENCH,091000019,1,${day},2400,USD,2/`,
    `03,${7_000_000 + account},USD,,,,/`,
    ...Array.from({ length: rows }, (_, n) => `16,455,${cents},,,,SUBSCRIPTION ${kind === 'alike' ? '' : n}/`),
    `49,${sum},${rows + 2}/`,
    `98,${sum},1,${rows + 4}/`,
    `99,${sum},1,${rows + 6}/`,
    '',
  ].join('\n');
};

const synced = async ({ system }: Bench, id: string, rows: number, kind: Kind): Promise<void> => {
  const inbox = join(system.fileDropDir, id, 'inbox');
  mkdirSync(inbox, { recursive: true });
  for (let account = 0; account < accounts; account++) {
    writeFileSync(join(inbox, `${rows}-${String(account).padStart(3, '0')}.bai`), report(account, rows, kind));
  }
  const { lastSyncedAt } = await request(system, 'GET', `/v1/connections/${id}`);
  await request(system, 'PUT', `/v1/connections/${id}/sync`);
  await untilSynced(system, id, lastSyncedAt as string | undefined);
};

/** A row more than are there: milliseconds from each account's page to the next one's. */
const pageMs = async (bench: Bench, kind: Kind): Promise<number> => {
  const { system, pool } = bench;
  const id = await newConnection(system, 'sandbox-files');
  await untilSynced(system, id, undefined);
  await synced(bench, id, rowsBefore, kind);
  const { rows: began } = await pool.query<{ at: string }>('SELECT clock_timestamp()::text AS at');
  await synced(bench, id, rowsBefore + 1, kind);
  const { rows } = await pool.query<{ ms: number }>(
    `SELECT (extract(epoch FROM at - lag(at) OVER (ORDER BY at)) * 1000)::float8 AS ms
       FROM (SELECT max(appended_at) AS at FROM ledger_events.append
              WHERE stream LIKE 'ledger-%' AND appended_at > $1::timestamptz GROUP BY stream) AS page ORDER BY at`,
    [began[0]?.at],
  );
  if (rows.length !== accounts) throw new Error(`${rows.length} of ${accounts} pages were booked`);
  const times = rows.slice(1 + warmUpPages).map(({ ms }) => ms);
  return percentile(times, 0.5);
};

export const alikeRowsBench: Measurement = {
  id: 'P19b',
  name: 'a page with a new row into an account where 2,000 rows look alike / where none do',
  unit: 'ms',
  target: 1.2,
  floor: 2,
  lessIsBetter: true,
  run: ({ pairs, databaseUrl }) =>
    onSystem({ rows: 1, serverUrl: databaseUrl, name: 'bench_alike' }, async (bench) => {
      await pageMs(bench, 'different');
      const sides = { ours: () => pageMs(bench, 'alike'), baseline: () => pageMs(bench, 'different') };
      return { ...(await inPairs(pairs, sides)), rows: rowsBefore };
    }),
};
