import type { Pool } from '@causeway/postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measured, MeasureOptions, Measurement } from './measurement.ts';
import { onSystem, request, untilSynced, type Bench } from './synced-system.ts';

/** Pages whose median is one value; and pages that go before, while the first of a sync warm up. */
const pagesPerValue = 40;
const warmUpPages = 10;
/** Fewer rows than a full page has tell of no page. */
const pageEventsMin = 100;
const pollMs = 20;
const waitMaxMs = 10 * 60_000;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number;

/** Undefined: the bank has not shown it yet. */
const accountOf = async ({ system }: Bench, connectionId: string): Promise<string | undefined> => {
  const { data } = await request(system, 'GET', `/v1/accounts?connectionId=${connectionId}`);
  return (data as readonly { id: string }[])[0]?.id;
};

/** Milliseconds from each page of an account to the next, while they were booked one after the other. */
const pageTimes = async (pool: Pool, accountId: string | undefined): Promise<number[]> => {
  if (accountId === undefined) return [];
  const { rows } = await pool.query<{ ms: number }>(
    `SELECT (extract(epoch FROM appended_at - lag(appended_at) OVER (ORDER BY last_revision)) * 1000)::float8 AS ms
       FROM ledger_events.append WHERE stream = 'ledger-' || $1 AND event_count >= $2 ORDER BY last_revision`,
    [accountId, pageEventsMin],
  );
  return rows.slice(1).map(({ ms }) => ms);
};

const valuesOf = (times: readonly number[], pairs: number): number[] =>
  Array.from({ length: pairs }, (_, i) => median(times.slice(i * pagesPerValue, (i + 1) * pagesPerValue)));

/** The last pages of an account of so many rows. */
const intoFullAccount = async (bench: Bench, pages: number): Promise<number[]> => {
  const { system, pool } = bench;
  const { id } = await request(system, 'POST', '/v1/connections', { institutionId: 'sandbox-large' });
  await untilSynced(system, id as string, undefined);
  const times = await pageTimes(pool, await accountOf(bench, id as string));
  if (times.length < pages) throw new Error(`${times.length} pages are too few: at least ${pages} are measured`);
  return times.slice(-pages);
};

/** The first pages of another account of the same database; the rest of it is not waited for. */
const intoEmptyAccount = async (bench: Bench, pages: number): Promise<number[]> => {
  const { system, pool } = bench;
  const { entityId } = await request(system, 'POST', '/v1/entities', { externalEntityId: 'page-cost' });
  const { id } = await request(system, 'POST', '/v1/connections', { institutionId: 'sandbox-large', entityId });
  for (const deadline = Date.now() + waitMaxMs; Date.now() < deadline; await sleep(pollMs)) {
    const times = await pageTimes(pool, await accountOf(bench, id as string));
    if (times.length >= pages + warmUpPages) return times.slice(warmUpPages, warmUpPages + pages);
  }
  throw new Error(`the pages of ${String(id)} did not come`);
};

const measure = ({ rows, pairs, databaseUrl }: MeasureOptions): Promise<Measured> =>
  onSystem({ rows, serverUrl: databaseUrl, name: 'bench_page_cost' }, async (bench) => {
    const pages = pairs * pagesPerValue;
    const ours = valuesOf(await intoFullAccount(bench, pages), pairs);
    return { ours, baseline: valuesOf(await intoEmptyAccount(bench, pages), pairs) };
  });

/** Both sides are ours, so the two are taken one after the other, in a database that holds the rows of both. */
export const pageCostBench: Measurement = {
  id: 'PC',
  name: 'a page of 500 rows into an account of all rows / into an empty one',
  unit: 'ms',
  target: 1.2,
  floor: 1.5,
  lessIsBetter: true,
  run: measure,
};
