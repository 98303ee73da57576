import { addRequest, finished, requestById } from '@causeway/projections';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClients } from './list-load.ts';
import { inPairs, type Measured, type Measurement, type MeasureOptions } from './measurement.ts';
import { newConnection, onSystem, request, seconds, untilSynced, type Bench } from './synced-system.ts';

/** Fewer than this a second are no rebuild worth the name: then the run is void. */
const rebuiltPerSecondMin = 3000;
const listClients = 8;
const takenMs = 8000;
const pollMs = 20;
/** The history that is rebuilt comes from so many banks; each further one that is ingested is as large as one of them. */
const banks = 10;

/** A bank's whole history, until visible: rows per second. */
const ingest = async ({ system }: Bench, rows: number): Promise<number> => {
  const id = await newConnection(system, 'sandbox-large');
  return rows / (await seconds(() => untilSynced(system, id, undefined)));
};

/** Does the work while the transactions are rebuilt; `flaws` hears when they were not, all the while or fast enough. */
const whileRebuilding = async ({ pool }: Bench, flaws: string[], work: () => Promise<number>): Promise<number> => {
  const { id } = await addRequest(pool, 'ledger', { name: 'transactions', kind: 'rebuild', whenReady: 'switch' });
  const now = async () => {
    const asked = await requestById(pool, 'ledger', id);
    if (asked === undefined || asked.state === 'failed') throw new Error(`the rebuild failed: ${asked?.detail}`);
    return asked;
  };
  let before = await now();
  for (; before.events === 0; before = await now()) await sleep(pollMs);
  let value = 0;
  const taken = await seconds(async () => (value = await work()));
  const after = await now();
  const perSecond = (after.events - before.events) / taken;
  if (after.state !== 'building') flaws.push('the rebuild ended first');
  else if (perSecond < rebuiltPerSecondMin) flaws.push(`only ${perSecond.toFixed(0)} events/s were rebuilt`);
  process.stderr.write(`P9: ${perSecond.toFixed(0)} events/s rebuilt beside\n`);
  while (!finished.includes((await now()).state)) await sleep(pollMs);
  return value;
};

type Sides = Readonly<{ bench: Bench; flaws: string[]; bankRows: number }>;

const onHistory = (
  { rows, pairs, databaseUrl }: MeasureOptions,
  name: string,
  measure: (sides: Sides, pairs: number) => Promise<Measured>,
): Promise<Measured> => {
  const bankRows = Math.ceil(rows / banks);
  return onSystem({ rows: bankRows, serverUrl: databaseUrl, name }, async (bench) => {
    for (let bank = 0; bank < banks; bank++) await ingest(bench, bankRows);
    const flaws: string[] = [];
    const measured = await measure({ bench, flaws, bankRows }, pairs);
    return { ...measured, ...(flaws[0] !== undefined && { flaw: flaws[0] }) };
  });
};

const shown = async ({ system }: Bench, urls: readonly string[]): Promise<string> => {
  const paths = urls.slice(0, 20).map((url) => url.slice(system.baseUrl.length));
  const pages = await Promise.all(paths.map((path) => request(system, 'GET', path)));
  return JSON.stringify(pages.map(({ data }) => data));
};

export const listsBesideRebuildBench: Measurement = {
  id: 'P9a',
  name: 'list p99 while the transactions are rebuilt / idle',
  unit: 'ms',
  target: 1.5,
  floor: 3,
  lessIsBetter: true,
  run: (options) =>
    onHistory(options, 'bench_rebuild_lists', ({ bench, flaws }, pairs) =>
      withClients(bench, async ({ lists, carry }) => {
        const load = { kind: 'rate', ...lists, clients: listClients, ms: takenMs } as const;
        const p99 = async () => (await carry(load))[0]?.p99Ms ?? Number.NaN;
        const before = await shown(bench, lists.urls);
        const during = async () => {
          const taken = await p99();
          if ((await shown(bench, lists.urls)) !== before) flaws.push('a page was another during the rebuild');
          return taken;
        };
        const ours = () => whileRebuilding(bench, flaws, during);
        return inPairs(pairs, { ours, baseline: p99 });
      }),
    ),
};

export const ingestBesideRebuildBench: Measurement = {
  id: 'P9b',
  name: 'first sync while the transactions are rebuilt / idle',
  unit: 'rows/s',
  target: 0.6,
  floor: 0.3,
  run: (options) =>
    onHistory(options, 'bench_rebuild_ingest', ({ bench, flaws, bankRows }, pairs) =>
      inPairs(pairs, {
        ours: () => whileRebuilding(bench, flaws, () => ingest(bench, bankRows)),
        baseline: () => ingest(bench, bankRows),
      }),
    ),
};
