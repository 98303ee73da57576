import { setTimeout as sleep } from 'node:timers/promises';
import { withClients } from './list-load.ts';
import { inPairs, takenOnce, type Measured, type Measurement } from './measurement.ts';
import { newConnection, onSystem, request, untilSynced, type Bench } from './synced-system.ts';

const listClients = 8;
const writeClients = 2;
const takenMs = 8000;
/** From the start of a sync until its pages flow. */
const underWayMs = 1000;
/** After a sync, for what it leaves to be done. */
const settleMs = 3000;

/** While a bank's whole history comes in; `flaws` hears when that ended first. */
const whileSyncing = async ({ system }: Bench, flaws: string[], work: () => Promise<number>): Promise<number> => {
  const id = await newConnection(system, 'sandbox-large');
  await sleep(underWayMs);
  const taken = await work();
  if ((await request(system, 'GET', `/v1/connections/${id}`))['syncStatus'] !== 'syncing') {
    flaws.push('the sync ended first');
  }
  await untilSynced(system, id, undefined);
  return taken;
};

type Both = Readonly<{ lists: Measured; writes: Measured }>;

/** The rows that were asked for come in as many syncs as there are pairs, and before them as many as one of these. */
const bothFigures = takenOnce(({ rows, pairs, databaseUrl }) => {
  const serverUrl = databaseUrl;
  return onSystem({ rows: Math.ceil(rows / pairs), serverUrl, name: 'bench_beside_sync' }, async (bench) => {
    await untilSynced(bench.system, await newConnection(bench.system, 'sandbox-large'), undefined);
    return withClients(bench, async ({ lists, carry }): Promise<Both> => {
      const flaws: string[] = [];
      const writes = { ours: [] as number[], baseline: [] as number[] };
      const entities = {
        ...{ kind: 'rate' as const, headers: lists.headers, clients: writeClients, ms: takenMs },
        ...{ urls: [`${bench.system.baseUrl}/v1/entities`], bodies: ['{"externalEntityId":"$id"}'] },
      };
      const p99 = async (side: keyof typeof writes): Promise<number> => {
        const [list, write] = await carry({ kind: 'rate', ...lists, clients: listClients, ms: takenMs }, entities);
        writes[side].push(write?.p99Ms ?? Number.NaN);
        return list?.p99Ms ?? Number.NaN;
      };
      const quiet = async () => {
        await sleep(settleMs);
        return p99('baseline');
      };
      await quiet();
      writes.baseline.pop();
      const taken = await inPairs(pairs, {
        ours: () => whileSyncing(bench, flaws, () => p99('ours')),
        baseline: quiet,
      });
      const flaw = flaws[0] === undefined ? {} : { flaw: flaws[0] };
      return { lists: { ...taken, ...flaw }, writes: { ...writes, ...flaw } };
    });
  });
});

const target = { unit: 'ms', target: 2, floor: 4, lessIsBetter: true } as const;

export const listsBesideSyncBench: Measurement = {
  id: 'P16a',
  name: 'list p99 while a large history is synced / quiet, one process',
  ...target,
  run: async (options) => (await bothFigures(options)).lists,
};

/** Of new entities: a command that a service answers which is syncing meanwhile. */
export const writesBesideSyncBench: Measurement = {
  id: 'P16b',
  name: 'write p99 while a large history is synced / quiet, one process',
  ...target,
  run: async (options) => (await bothFigures(options)).writes,
};
