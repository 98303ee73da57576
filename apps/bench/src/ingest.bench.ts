import type { Pool } from '@causeway/postgres';
import type { System } from '@causeway/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured, MeasureOptions, Measurement } from './measurement.ts';
import { onSystem, request, seconds, untilSynced } from './synced-system.ts';

/** One run of the whole system on a database of its own; rates in rows/s. */
type Run = Readonly<{ firstSync: number; secondSync: number; copy: number }>;

/** The limit while a million rows are synced: resident memory of the one process, PostgreSQL and bank apart. */
export const memoryMaxMiB = 400;

const peakMiB = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const tellPeak = (peak: number): void => {
  const over = peak > memoryMaxMiB ? `, over ${memoryMaxMiB}` : '';
  process.stderr.write(`P5: the process peaked at ${peak.toFixed(0)} MiB${over}\n`);
};

const stored = async (pool: Pool): Promise<{ events: number; parts: number }> => {
  const of = async (schema: string, like: string): Promise<number> => {
    const text = `SELECT coalesce(sum(event_count), 0)::int AS n FROM ${schema}.append WHERE stream LIKE $1`;
    return (await pool.query<{ n: number }>(text, [like])).rows[0]?.n ?? 0;
  };
  return { events: await of('ledger_events', 'ledger-%'), parts: await of('connections_events', 'sync-%') };
};

/** The same rows into a table like the one that ours are in, indexes and all, read by the server from a file. */
const copyBaseline = async (pool: Pool, folder: string): Promise<number> => {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname = 'ledger' AND tablename LIKE 'transactions\\_%'`,
  );
  const [table] = rows;
  if (table === undefined || rows.length > 1) throw new Error('which table holds the transactions?');
  const file = join(folder, 'transactions.copy');
  await pool.query(`COPY ${table.name} TO '${file}'`);
  await pool.query(`CREATE TABLE copied (LIKE ${table.name} INCLUDING ALL)`);
  await pool.query('CHECKPOINT');
  return seconds(() => pool.query(`COPY copied FROM '${file}'`));
};

const measureOnce = async (rows: number, pool: Pool, system: System, folder: string): Promise<Run> => {
  const { id } = (await request(system, 'POST', '/v1/connections', { institutionId: 'sandbox-large' })) as {
    id: string;
  };
  const first = await seconds(() => untilSynced(system, id, undefined));
  const one = system.processes['standalone'];
  if (one !== undefined) tellPeak(peakMiB(one));
  const visible = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM read_models.transactions_v1');
  if (visible.rows[0]?.n !== rows) throw new Error(`${visible.rows[0]?.n} of ${rows} rows are visible`);

  const before = await stored(pool);
  const { lastSyncedAt } = await request(system, 'GET', `/v1/connections/${id}`);
  const second = await seconds(async () => {
    await request(system, 'PUT', `/v1/connections/${id}/sync`);
    await untilSynced(system, id, lastSyncedAt as string);
  });
  const after = await stored(pool);
  // The second run leaves one event of its own, that it has fetched.
  if (after.events !== before.events || after.parts > before.parts + 1) {
    throw new Error(
      `an unchanged history left ${after.events - before.events} events, ${after.parts - before.parts} parts`,
    );
  }
  const copy = await copyBaseline(pool, folder);
  return { firstSync: rows / first, secondSync: rows / second, copy: rows / copy };
};

type Way = 'one' | 'five';

const taken = new Map<Way, Promise<readonly Run[]>>();

const takeRuns = async ({ rows, pairs, databaseUrl }: MeasureOptions, way: Way): Promise<readonly Run[]> => {
  const all: Run[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const name = `bench_ingest_${way}_${pair}`;
    const options = { rows, serverUrl: databaseUrl, name, distributed: way === 'five' };
    all.push(await onSystem(options, ({ pool, system, folder }) => measureOnce(rows, pool, system, folder)));
  }
  return all;
};

/** The measurements of one way come from the same runs: a first sync of a million rows takes its time. */
const runs = (options: MeasureOptions, way: Way): Promise<readonly Run[]> => {
  const its = taken.get(way) ?? takeRuns(options, way);
  taken.set(way, its);
  return its;
};

const measured = async (options: MeasureOptions, way: Way, ours: 'firstSync' | 'secondSync'): Promise<Measured> => {
  const all = await runs(options, way);
  return { ours: all.map((run) => run[ours]), baseline: all.map(({ copy }) => copy) };
};

export const ingestBench: Measurement = {
  id: 'P5',
  name: 'first sync, until visible / COPY of the same rows',
  unit: 'rows/s',
  target: 0.45,
  floor: 0.2,
  run: (options) => measured(options, 'one', 'firstSync'),
};

export const resyncBench: Measurement = {
  id: 'P6',
  name: 'sync of an unchanged history / the same COPY',
  unit: 'rows/s',
  target: 1.5,
  floor: 0.8,
  run: (options) => measured(options, 'one', 'secondSync'),
};

/** The same in five processes over a broker: the same bank, the same PostgreSQL, the same COPY. */
export const ingestOverKafkaBench: Measurement = {
  ...ingestBench,
  id: 'P5K',
  target: 0.32,
  name: 'first sync over Kafka in five processes, until visible / COPY of the same rows',
  needsBroker: true,
  run: (options) => measured(options, 'five', 'firstSync'),
};
