import { startSystem, type System } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiOf, bankControl, type Heard } from './api.ts';
import { startBalancer } from './balancer.ts';
import { check } from './check.ts';
import { connect } from './clients/customer.ts';
import { keepErasing } from './clients/eraser.ts';
import { keepApproving, keepLosingAnswers, keepPaying } from './clients/payer.ts';
import { startReceiver, subscribe } from './clients/receiver.ts';
import { drainFeed, keepReadingBalances, keepReadingFeed } from './clients/readers.ts';
import { keepSyncing } from './clients/syncer.ts';
import { startDetours, type Detoured } from './detours.ts';
import { blows, distributedPlanOf } from './distributed.ts';
import { killing, planOf, strikerOf, type Striker } from './faults.ts';
import { randomOf, type Random } from '@causeway/testing';
import { replicasOf, replicasPlan } from './replicas.ts';
import { orStopping } from './stops.ts';
import { count, nothingTold, type Fault, type Running, type Setup, type Site, type World } from './world.ts';

export const siteOf = (dataDir: string, port: number, setup: Setup): Site => ({
  dataDir,
  hookPort: port + 2,
  setup,
  distributed: setup !== 'standalone',
  told: nothingTold(),
  env: {
    CAUSEWAY_PORT: String(port),
    CAUSEWAY_SANDBOX_BANK_PORT: String(port + 1),
    CAUSEWAY_WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${port + 2}`,
    CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0',
    CAUSEWAY_REQUESTS_PER_SECOND: '0',
    CAUSEWAY_TRANSFER_DENIED_SECONDS: '30',
  },
});

export type Outcome = Readonly<{
  struck: readonly string[];
  did: ReadonlyMap<string, number>;
  broken: readonly string[];
}>;

type Doing = Readonly<{ random: Random; striker: Striker; baseUrl: string; over: AbortController }>;

const quietAfterLastStrikeMs = 1500;
const settleTimeoutMs = 30_000;

/** Two accounts in dollars that no change at the bank touches, so that there is always enough, once a sync has shown them. */
const payable = async ({ api, over }: World, connectionId: string): Promise<readonly [string, string] | undefined> => {
  while (!over.aborted) {
    const answer = await api.call(`/v1/accounts?connectionId=${connectionId}&currency=USD`);
    const rows = (answer?.status === 200 ? answer.body['data'] : []) as { id: string; type: string }[];
    const [from, to] = ['savings', 'moneyMarket'].map((type) => rows.find((row) => row.type === type)?.id);
    if (from !== undefined && to !== undefined) return [from, to];
    await sleep(100);
  }
  return undefined;
};

const customer = async (world: World, known: string | undefined): Promise<void> => {
  const id = known ?? (await connect(world, 'sandbox-instant'));
  if (id === undefined) return;
  const paying = payable(world, id).then((pair) => (pair === undefined ? undefined : keepPaying(world, ...pair)));
  await Promise.all([keepSyncing(world, id), paying, keepLosingAnswers(world, id)]);
};

/** The faults that a seed stands for. */
export const faultsOf = (seed: number, setup: Setup): readonly Fault[] => {
  if (setup === 'replicas') return replicasPlan;
  return setup === 'distributed' ? distributedPlanOf(seed, randomOf(seed)) : planOf(seed, randomOf(seed));
};

const loadTimeoutMs = 60_000;

/** There is something to lose: money has moved in this episode. Five processes start later than their customers. */
const underLoad = async ({ did }: World): Promise<void> => {
  const deadline = Date.now() + loadTimeoutMs;
  while (!did.has('transfers') && Date.now() < deadline) await sleep(100);
  if (!did.has('transfers')) throw new Error('no transfer was acknowledged before the faults');
};

/** While processes come and go as they should, a client meets nothing worse than a 503 that says when to come again. */
const noFaultBut503 =
  (world: Pick<World, 'told' | 'did'>): Heard =>
  (request, answer) => {
    const isRefusal = answer?.status === 503 && answer.headers.has('retry-after');
    if (isRefusal) count(world, 'answers 503');
    else if (answer === undefined || answer.status >= 500) {
      world.told.broken.push(`${request}: ${answer?.status ?? 'no answer'}`);
    }
  };

/** Customers at work, faults among them, quiet, and the check. */
const work = async (site: Site, running: Running, doing: Doing): Promise<Outcome> => {
  const { random, striker, baseUrl, over } = doing;
  const { sandboxBankUrl, testKey } = running.system;
  const did = new Map<string, number>();
  const heard = site.setup === 'replicas' ? noFaultBut503({ told: site.told, did }) : undefined;
  const base = { bank: bankControl(sandboxBankUrl), random, told: site.told, did, reached: striker.reached };
  const world: World = { ...base, api: apiOf(baseUrl, testKey, heard), over: over.signal };
  if (site.told.feedCursor === null) await drainFeed(world, '');
  if (!site.told.subscribed) await subscribe(world.api, site.hookPort, settleTimeoutMs);
  site.told.subscribed = true;
  const [first, second] = [...site.told.connections];
  const clients = Promise.all([
    customer(world, first),
    customer(world, second),
    keepErasing(world),
    keepApproving(world),
    keepReadingFeed(world),
    keepReadingBalances(world),
  ]);
  if (site.distributed) await underLoad(world);
  const struck = await striker.strikeAll();
  await sleep(quietAfterLastStrikeMs);
  over.abort();
  await Promise.race([clients, sleep(settleTimeoutMs).then(() => Promise.reject(new Error('clients do not end')))]);
  return { struck, did: world.did, broken: await check(world) };
};

type Hands = Readonly<{ striker: Striker; baseUrl: string; close(): void }>;
type Chance = Readonly<{ seed: number; random: Random }>;

/** What hits the system, and where clients find it. */
const handsOn = async (
  running: Running,
  site: Site,
  { seed, random }: Chance,
  detours: Detoured | undefined,
): Promise<Hands> => {
  const { system } = running;
  const later = randomOf(seed + 1_000_003);
  const direct = { baseUrl: system.baseUrl, close: () => undefined };
  if (detours !== undefined) {
    const strike = orStopping(blows(running, { ...site, detours }), running, site, later);
    return { striker: strikerOf(distributedPlanOf(seed, random), strike, later), ...direct };
  }
  if (!site.distributed) {
    const strike = orStopping(killing(running, site), running, site, later);
    return { striker: strikerOf(planOf(seed, random), strike, later), ...direct };
  }
  const balancer = await startBalancer();
  const replicas = await replicasOf(system, { ...site, balancer });
  return {
    striker: strikerOf(replicasPlan, replicas.strike, later),
    baseUrl: `http://127.0.0.1:${balancer.port}`,
    close: () => [replicas, balancer].forEach((part) => part.close()),
  };
};

export const episode = async (site: Site, seed: number): Promise<Outcome> => {
  const detours = site.setup === 'distributed' ? await startDetours(site.dataDir) : undefined;
  const deafen = await startReceiver(site.hookPort, site.told);
  const over = new AbortController();
  try {
    const here: Site = { ...site, env: { ...site.env, ...detours?.env } };
    const running: Running = { system: await startSystem(here) };
    const random = randomOf(seed);
    const { close, ...hands } = await handsOn(running, here, { seed, random }, detours);
    try {
      const outcome = await work(site, running, { random, over, ...hands });
      await endOf(running.system);
      return outcome;
    } finally {
      over.abort();
      close();
      await running.system.stop();
    }
  } finally {
    detours?.close();
    deafen();
  }
};

/** Every other way of ending is a kill; this one has to be clean. */
const endOf = async (system: System): Promise<void> => {
  const status = await system.stop();
  if (status !== 0) throw new Error(`SIGTERM ended the system with ${status}`);
};
