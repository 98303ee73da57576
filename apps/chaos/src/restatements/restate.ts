import { randomOf } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { everyRow, type Json, type Truth } from '../api.ts';
import { checkConnection, checkReplicas, syncOnce, type Quiet } from '../check.ts';
import { drainBalances, drainFeed } from '../clients/readers.ts';
import { count, nothingTold } from '../world.ts';
import { discrepancies } from './adding-up.ts';
import { checkHistory } from './history.ts';
import { breaksIds, interleavingOf, touchedBy, type Restatement, type Step } from './interleaving.ts';

export type Bench = Pick<Quiet, 'api' | 'bank'>;
export type Restated = Readonly<{
  did: ReadonlyMap<string, number>;
  /** Days whose balances do not add up, by account, as the interface shows them. */
  discrepancies: readonly string[];
  broken: readonly string[];
}>;

type Client = Quiet & Readonly<{ connectionId: string }>;
/** How many rows may have moved at most, and whether the bank's ids have held. */
type Allowed = { touches: number; idsHold: boolean };

const firstSyncMs = 30_000;

/** A connection of its own, as soon as the bank knows it: its first sync runs. */
const connect = async ({ api, bank }: Bench, seed: number): Promise<Readonly<{ id: string; truth: Truth }>> => {
  const never = new AbortController().signal;
  const body = { externalEntityId: `restated-${seed}-${Date.now()}` };
  const entity = await api.insist('/v1/entities', { method: 'POST', body }, never);
  const order = { institutionId: 'sandbox-instant', entityId: entity?.body['entityId'] };
  const made = await api.insist('/v1/connections', { method: 'POST', body: order }, never);
  const id = made?.body['id'];
  if (typeof id !== 'string') throw new Error(`connecting answered ${made?.status} ${JSON.stringify(made?.body)}`);
  for (const deadline = Date.now() + firstSyncMs; Date.now() < deadline; await sleep(20)) {
    const truth = await bank.truth(id).catch(() => undefined);
    if (truth !== undefined) return { id, truth };
  }
  throw new Error(`the bank does not know ${id}`);
};

/** A cursor first, then what is there: rows that come in between come twice, and none is missed. */
const bootstrap = async (client: Client): Promise<void> => {
  if ((await drainFeed(client, '')) === undefined) throw new Error('the feed does not begin');
  const rows = await everyRow(client.api, `/v1/transactions?limit=500&connectionId=${client.connectionId}`);
  rows.forEach((row) => client.told.replica.set(String(row['id']), row));
};

const happen = async (client: Client, change: Restatement, allowed: Allowed, truth: Truth): Promise<void> => {
  const { scenario, account, ...body } = change;
  if (breaksIds(change)) allowed.idsHold = false;
  const named = { ...body, accountNumber: truth.accounts[account]?.number };
  const changed = await client.bank.scenario(client.connectionId, scenario, named);
  if (changed === undefined) throw new Error(`the bank does not answer ${scenario}`);
  allowed.touches += touchedBy(change, changed, allowed.idsHold);
  count(client, scenario);
};

type Course = Readonly<{ allowed: Allowed; truth: Truth }> & { last: string };

const take = async (client: Client, step: Step, course: Course): Promise<void> => {
  switch (step.type) {
    case 'bank':
      return happen(client, step.change, course.allowed, course.truth);
    case 'clock':
      return client.bank.advance(step.hours);
    case 'outage':
      await client.bank.scenario(client.connectionId, 'down', { seconds: step.seconds });
      return;
    case 'sync':
      await client.api.call(`/v1/connections/${client.connectionId}/sync`, { method: 'PUT' });
      return;
    case 'synced':
      return syncOnce(client, client.connectionId);
    case 'feed':
      course.last = (await drainFeed(client, course.last)) ?? course.last;
      return;
    case 'balances':
      await drainBalances(client);
      return;
    case 'rest':
      await sleep(step.ms);
  }
};

/** Replica, list and the bank's record, once nothing happens any more. */
const settle = async (client: Client, course: Course): Promise<string[]> => {
  for (;;) {
    const before = await client.bank.aheadSeconds();
    await syncOnce(client, client.connectionId);
    course.last = (await drainFeed(client, course.last)) ?? course.last;
    if (!(await drainBalances(client))) throw new Error('the balances cannot be read');
    const broken = [...(await checkConnection(client, client.connectionId)), ...(await checkReplicas(client))];
    // Another interleaving may have moved the clock, and a day has ended since the sync.
    if ((await client.bank.aheadSeconds()) === before) return broken;
  }
};

/** One random interleaving, on a connection of its own. */
export const restate = async (bench: Bench, seed: number): Promise<Restated> => {
  const { id, truth } = await connect(bench, seed);
  const client: Client = {
    ...{ ...bench, connectionId: id, random: randomOf(seed + 1_000_003) },
    ...{ told: nothingTold(id), did: new Map<string, number>() },
  };
  const allowed: Allowed = { touches: truth.transactions.length, idsHold: true };
  const course: Course = { allowed, truth, last: '' };
  await bootstrap(client);
  for (const step of interleavingOf(seed)) {
    await take(client, step, course);
    if (step.type !== 'bank') count(client, step.type);
  }
  const unlike = [...(await settle(client, course)), ...(await checkHistory(client))];
  const { told, did } = client;
  const balances: readonly Json[] = [...told.balances.values()];
  const { days, broken } = discrepancies(balances);
  const tooMany =
    told.touched > allowed.touches ? [`${told.touched} rows moved where ${allowed.touches} had a reason to`] : [];
  return { did, discrepancies: days, broken: [...told.broken, ...unlike, ...broken, ...tooMany] };
};
