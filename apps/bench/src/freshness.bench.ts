import { setTimeout as sleep } from 'node:timers/promises';
import { inPairs, type Measured, type Measurement } from './measurement.ts';
import { percentile } from './percentile.ts';
import { withRawKafka, type RawKafka } from './raw-kafka.ts';
import { newRows, onSystem, request, untilSynced, type Bench } from './synced-system.ts';

const perSecond = 500;
/** A share of them must really flow, or the figures are of something easier. */
const flowMin = 0.9;
/** Of each side in each pair: 20 s. */
const eventsMax = 10_000;
const warmUpEvents = 4000;
/** New rows of one sync, and how many banks take turns: each is synced every 4 s, so none has many rows of one day. */
const rowsPerSync = 100;
const banks = 20;
const turnMs = (1000 * banks * rowsPerSync) / perSecond;
const pollMs = 3;
const busyMs = 50;
const conflict = 409;
const lostAfterMs = 60_000;

/** Whole turns of all banks. */
const eventsOf = (rows: number): number => {
  const turn = banks * rowsPerSync;
  return Math.max(turn, Math.floor(Math.min(rows, eventsMax) / turn) * turn);
};

/** By event. */
type Seen = ReadonlyMap<string, number>;

type Page = Readonly<{
  events: readonly Readonly<{ eventId: string }>[];
  nextCursor: string;
  hasMore: boolean;
}>;

/** New banks, whose history is here: a day of the record that grew long would be read again with every sync. */
const connected = async ({ system }: Bench, run: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let bank = 0; bank < banks; bank++) {
    const { entityId } = await request(system, 'POST', '/v1/entities', {
      externalEntityId: `freshness-${run}-${bank}`,
    });
    const wanted = { institutionId: 'sandbox-instant', entityId };
    ids.push((await request(system, 'POST', '/v1/connections', wanted))['id'] as string);
  }
  for (const id of ids) await untilSynced(system, id, undefined);
  return ids;
};

/** Asks until it is taken: the sync before may still be going. */
const sync = async ({ system }: Bench, id: string): Promise<void> => {
  const headers = { authorization: `Bearer ${system.testKey}` };
  for (;;) {
    const answer = await fetch(`${system.baseUrl}/v1/connections/${id}/sync`, { method: 'PUT', headers });
    const said = await answer.text();
    if (answer.ok) return;
    if (answer.status !== conflict) throw new Error(`sync: ${answer.status} ${said}`);
    await sleep(busyMs);
  }
};

/** Every bank has new rows at its turn and is then synced, evenly over the time of a turn. */
const load = async (bench: Bench, ids: readonly string[], turns: number): Promise<void> => {
  const began = performance.now();
  const bank = async (id: string, place: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) {
      const aheadMs = began + (turn + place / banks) * turnMs - performance.now();
      if (aheadMs > 0) await sleep(aheadMs);
      await newRows(bench.system, id, rowsPerSync);
      await sync(bench, id);
    }
  };
  await Promise.all(ids.map(bank));
};

/**
 * Follows the feed as a client does, until so many events have come; when each first came, in milliseconds since 1970.
 * `signal`: whoever makes the events has failed.
 */
const follow = async ({ system }: Bench, cursor: string, events: number, signal: AbortSignal): Promise<Seen> => {
  const seen = new Map<string, number>();
  for (let [at, cameMs] = [cursor, Date.now()]; seen.size < events;) {
    const path = `/v1/transactions/sync?limit=500&cursor=${at}`;
    const page = (await request(system, 'GET', path)) as Page;
    const now = Date.now();
    for (const { eventId } of page.events) if (!seen.has(eventId)) seen.set(eventId, now);
    if (page.events.length > 0) cameMs = now;
    if (now - cameMs > lostAfterMs) throw new Error(`${seen.size} of ${events} rows became visible`);
    at = page.nextCursor;
    signal.throwIfAborted();
    if (!page.hasMore) await sleep(pollMs);
  }
  return seen;
};

/** When each was appended, in milliseconds since 1970. */
const appendsOf = async ({ pool }: Bench, seen: Seen): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await pool.query<{ id: string; appended: number }>(
    `SELECT event.id::text AS id, (extract(epoch FROM appended_at) * 1000)::float8 AS appended
       FROM ledger_events.append, unnest(event_ids) AS event(id) WHERE event.id = ANY ($1::uuid[])`,
    [[...seen.keys()]],
  );
  if (rows.length !== seen.size) throw new Error(`${rows.length} of ${seen.size} visible rows were appended`);
  return new Map(rows.map(({ id, appended }) => [id, appended]));
};

/** `flow`: events per second, as they were appended. */
type Taken = Readonly<{ p50: number; p99: number; flow: number }>;

const takeOurs = async (bench: Bench, run: number, events: number): Promise<Taken> => {
  const ids = await connected(bench, run);
  const { nextCursor } = await request(bench.system, 'GET', '/v1/transactions/sync');
  const failed = new AbortController();
  const turns = events / (banks * rowsPerSync);
  const loading = load(bench, ids, turns).catch((error: unknown) => {
    failed.abort(error);
    throw error;
  });
  const [seen] = await Promise.all([follow(bench, nextCursor as string, events, failed.signal), loading]);
  const appends = await appendsOf(bench, seen);
  const times = [...appends].map(([id, appended]) => (seen.get(id) as number) - appended);
  const places = [...appends.values()].sort((a, b) => a - b);
  const seconds = ((places.at(-1) as number) - (places[0] as number)) / 1000;
  // Between the first and the last sync lie the rows of all but one.
  const flow = (events - rowsPerSync) / seconds;
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), flow };
};

const measure = async (bench: Bench, raw: RawKafka, events: number, pairs: number): Promise<Measured> => {
  const flows: number[] = [];
  let run = 0;
  const ours = async (): Promise<number> => {
    const { p50, p99, flow } = await takeOurs(bench, run++, events);
    process.stderr.write(`P10: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms at ${flow.toFixed(0)} events/s\n`);
    flows.push(flow);
    return p99;
  };
  const baseline = async () => percentile(await raw.flowing(events, perSecond), 0.99);
  await takeOurs(bench, run++, Math.min(events, warmUpEvents));
  await raw.flowing(warmUpEvents, perSecond);
  const measured = await inPairs(pairs, { ours, baseline });
  const least = Math.min(...flows);
  const flaw = `only ${least.toFixed(0)} events/s flowed`;
  return { ...measured, rows: events, ...(least < flowMin * perSecond && { flaw }) };
};

/**
 * P10. From the moment the ledger appends an event, inside the transaction and so before its commit, until a client that
 * polls the feed has the row, while the banks have 500 new rows a second and are synced in turn. That is earlier than the
 * row's `updatedAt`, which the event is given with its place in the order: the wait for that is in the figure. The
 * baseline is as many records, each by itself and evenly, without anything of ours beside it.
 */
export const freshnessBench: Measurement = {
  id: 'P10',
  name: 'freshness at 500 events/s: append to visible, p99 / raw produce to consume, p99',
  unit: 'ms',
  target: 3,
  floor: 6,
  lessIsBetter: true,
  oursMax: 250,
  needsBroker: true,
  run: ({ rows, pairs, databaseUrl }) =>
    onSystem({ rows: 1, serverUrl: databaseUrl, name: 'bench_freshness', distributed: true }, (bench) =>
      withRawKafka(bench.dataDir, (raw) => measure(bench, raw, eventsOf(rows), pairs)),
    ),
};
