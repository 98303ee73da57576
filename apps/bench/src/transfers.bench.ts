import { setTimeout as sleep } from 'node:timers/promises';
import type { Carried } from './load.worker.ts';
import { takenOnce, type Measured, type Measurement } from './measurement.ts';
import { newConnection, onSystem, request, untilSynced, type Bench } from './synced-system.ts';
import { worker, type Worker } from './worker.ts';

const clients = 32;
const takenMs = 8000;
const warmUpMs = 2000;
const pollMs = 100;
/** What was accepted in a window is executed before the next begins. */
const drainMaxMs = 5 * 60_000;
/** Two accounts of each take part: the hot set is ten of them. */
const connections = 100;
const hotAccounts = 10;

type Account = Readonly<{ id: string; type: string; currency: string }>;
/** Between accounts of the organization, or to others: those wait for an approval once the bank has them. */
type Kind = 'internal' | 'external';

const payee = {
  type: 'external',
  name: 'Example Energy Supplies Inc.',
  paymentIdentifier: {
    ...{ scheme: 'us_ach', countryCode: 'US', currency: 'USD' },
    details: { accountNumber: '000123456789', routingNumber: '091000019', accountType: 'checking' },
  },
};

const bodyOf = (kind: Kind, sourceAccountId: string, accountId: string): string => {
  const amount = { type: 'money', currency: 'USD', value: '0.01' };
  const destination = kind === 'internal' ? { type: 'account', accountId } : payee;
  const transferType = kind === 'internal' ? 'internal' : 'ach';
  return JSON.stringify({ type: kind, transferType, amount, sourceAccountId, destination, clientReference: '$id' });
};

/** A transfer's body from each of the two accounts that every connection has. */
const bodiesOf = async ({ system }: Bench, kind: Kind): Promise<readonly string[]> => {
  const ids: string[] = [];
  while (ids.length < connections) ids.push(await newConnection(system, 'sandbox-instant'));
  const bodies: string[] = [];
  for (const id of ids) {
    await untilSynced(system, id, undefined);
    const { data } = await request(system, 'GET', `/v1/accounts?connectionId=${id}&currency=USD`);
    const accountId = (type: string) => (data as readonly Account[]).find((account) => account.type === type)?.id ?? '';
    const [checking, savings] = [accountId('checking'), accountId('savings')];
    bodies.push(bodyOf(kind, checking, savings), bodyOf(kind, savings, checking));
  }
  return bodies;
};

const countOf = async ({ pool }: Bench, where: string): Promise<number> => {
  const text = `SELECT count(*)::int AS n FROM read_models.transfers_v1 WHERE ${where}`;
  return (await pool.query<{ n: number }>(text)).rows[0]?.n ?? 0;
};
/** Not known to the bank yet, or not for sure. */
const open = `status IN ('queued', 'executing', 'unknown')`;

const untilExecuted = async (bench: Bench): Promise<void> => {
  const deadline = performance.now() + drainMaxMs;
  while ((await countOf(bench, open)) > 0) {
    if (performance.now() > deadline) throw new Error('the transfers were not executed');
    await sleep(pollMs);
  }
};

type Window = Readonly<{ acceptedPerSecond: number; executed: number; accepted: number }>;

/** Posts for a while; how many were executed is counted the moment the last is accepted. */
const ourWindow = async (bench: Bench, client: Worker, bodies: readonly string[], ms: number): Promise<Window> => {
  const executedBefore = await countOf(bench, `NOT ${open}`);
  const { system } = bench;
  const headers = { authorization: `Bearer ${system.testKey}` };
  client.child.send({ kind: 'rate', urls: [`${system.baseUrl}/v1/transfers`], bodies, headers, clients, ms });
  const { count, ms: took } = await client.reply<Carried>();
  const executed = (await countOf(bench, `NOT ${open}`)) - executedBefore;
  await untilExecuted(bench);
  return { acceptedPerSecond: (1000 * count) / took, executed, accepted: count };
};

type Three = Readonly<Record<'accepted' | 'hot' | 'executed', Measured>>;

type Parts = Readonly<{ bench: Bench; kind: Kind; raw(ms: number): Promise<number>; client: Worker }>;

const measure = async ({ bench, kind, raw, client }: Parts, pairs: number): Promise<Three> => {
  const cold = await bodiesOf(bench, kind);
  const hot = cold.slice(0, hotAccounts);
  const windows: Record<'cold' | 'hot', Window[]> = { cold: [], hot: [] };
  const rawRates: number[] = [];
  await ourWindow(bench, client, cold, warmUpMs);
  await raw(warmUpMs);
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % 2 === 1) windows.hot.push(await ourWindow(bench, client, hot, takenMs));
    windows.cold.push(await ourWindow(bench, client, cold, takenMs));
    rawRates.push(await raw(takenMs));
    if (pair % 2 === 0) windows.hot.push(await ourWindow(bench, client, hot, takenMs));
  }
  const failed = await countOf(bench, `status = 'failed'`);
  if (failed > 0) throw new Error(`${failed} transfers failed`);
  const of = (side: keyof typeof windows, key: keyof Window) => windows[side].map((window) => window[key]);
  const rows = Math.round(of('cold', 'accepted').reduce((sum, count) => sum + count, 0) / pairs);
  const accepted = of('cold', 'acceptedPerSecond');
  return {
    accepted: { ours: accepted, baseline: rawRates, rows },
    hot: { ours: of('hot', 'acceptedPerSecond'), baseline: accepted, rows },
    executed: { ours: of('cold', 'executed'), baseline: of('cold', 'accepted'), rows },
  };
};

const figuresOf = (kind: Kind) =>
  takenOnce(({ pairs, databaseUrl }): Promise<Three> =>
    onSystem({ rows: 1, serverUrl: databaseUrl, name: `bench_transfers_${kind}` }, async (bench) => {
      const { rows } = await bench.pool.query<{ name: string }>(
        `SELECT format('transfers.transfers_v%s_g%s', version, generation) AS name
           FROM transfers.projection WHERE name = 'transfers' AND live`,
      );
      await bench.pool.query(`CREATE TABLE raw_transfers (LIKE ${rows[0]?.name} INCLUDING ALL)`);
      const server = worker('raw-transfers', [bench.url, 'raw_transfers']);
      const client = worker('load');
      try {
        const urls = [`http://127.0.0.1:${await server.reply<number>()}/`];
        const bodies = [bodyOf(kind, crypto.randomUUID(), crypto.randomUUID())];
        const raw = async (ms: number): Promise<number> => {
          client.child.send({ kind: 'rate', urls, bodies, headers: {}, clients, ms });
          const { count, ms: took } = await client.reply<Carried>();
          return (1000 * count) / took;
        };
        return await measure({ bench, kind, raw, client }, pairs);
      } finally {
        client.child.disconnect();
        server.child.disconnect();
      }
    }),
  );

const transfersBenches = (kind: Kind, [a, b, c]: readonly [string, string, string]): readonly Measurement[] => {
  const three = figuresOf(kind);
  const unit = 'transfers/s';
  return [
    {
      ...{ id: `P14${a}`, unit, target: 0.4, floor: 0.25 },
      name: `${kind} transfers accepted, while they are executed / raw node:http and one INSERT`,
      run: async (options) => (await three(options)).accepted,
    },
    {
      ...{ id: `P14${b}`, unit, target: 0.8, floor: 0.5 },
      name: `${kind} transfers from a hot set of 10 accounts / from 200`,
      run: async (options) => (await three(options)).hot,
    },
    {
      ...{ id: `P14${c}`, unit: 'transfers', target: 0.5, floor: 0.25 },
      name: `${kind} transfers executed (known to the bank) / accepted, by the time the last is accepted`,
      run: async (options) => (await three(options)).executed,
    },
  ];
};

export const internalTransfersBenches = transfersBenches('internal', ['a', 'b', 'c']);
export const externalTransfersBenches = transfersBenches('external', ['d', 'e', 'f']);
