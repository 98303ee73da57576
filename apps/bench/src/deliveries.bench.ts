import { setTimeout as sleep } from 'node:timers/promises';
import type { Carried, Load } from './load.worker.ts';
import { inPairs, type Measured, type Measurement, type MeasureOptions } from './measurement.ts';
import type { Received, Told } from './receiver.worker.ts';
import { newConnection, newRows, onSystem, request, untilSynced, type Bench } from './synced-system.ts';
import { worker, type Worker } from './worker.ts';

/** Each a subject of its own: what is told of one connection is told in order. */
const connections = 10;
const pollMs = 100;
const takenMaxMs = 5 * 60_000;

type Rig = Readonly<{
  bench: Bench;
  ids: readonly string[];
  client: Worker;
  /** Of receivers that answer; and of one that hangs when the others accept. */
  urls: readonly string[];
  hangingUrl: string;
  tell(told: Told): void;
  received(count: number): Promise<Received>;
}>;

/** A system whose webhooks may go to a receiver of ours: in development its addresses are listed. */
const withReceiver = async <T>(name: string, databaseUrl: string, work: (rig: Rig) => Promise<T>): Promise<T> => {
  const receiver = worker('receiver');
  const client = worker('load');
  try {
    const hosts = (await receiver.reply<readonly number[]>()).map((port) => `127.0.0.1:${port}`);
    const env = {
      CAUSEWAY_WEBHOOK_ALLOWED_HOSTS: hosts.join(','),
      CAUSEWAY_MAX_WEBHOOKS: '0',
      CAUSEWAY_SYNC_INTERVAL_SECONDS: '0',
    };
    const tell = (told: Told): void => void receiver.child.send(told);
    const received = async (count: number): Promise<Received> => {
      for (const deadline = performance.now() + takenMaxMs; performance.now() < deadline; await sleep(pollMs)) {
        tell('count');
        const now = await receiver.reply<Received>();
        if (now.count >= count) return now;
      }
      throw new Error(`not all of ${count} were delivered`);
    };
    const urls = hosts.map((host) => `http://${host}/hook`);
    const hangingUrl = urls.pop() as string;
    return await onSystem({ rows: 1, serverUrl: databaseUrl, name, env }, async (bench) => {
      const ids: string[] = [];
      while (ids.length < connections) ids.push(await newConnection(bench.system, 'sandbox-instant'));
      for (const id of ids) await untilSynced(bench.system, id, undefined);
      return work({ bench, ids, client, urls, hangingUrl, tell, received });
    });
  } finally {
    client.child.disconnect();
    receiver.child.disconnect();
  }
};

type EventType = 'test' | 'transactions.sync_available';

const registered = async ({ bench: { system } }: Rig, urls: readonly string[], event: EventType): Promise<string[]> => {
  const made: string[] = [];
  for (const url of urls) {
    const { webhook } = await request(system, 'POST', '/v1/webhooks', { url, events: [event] });
    made.push((webhook as { id: string }).id);
  }
  return made;
};

/** What is still to be sent to them is given up. */
const ended = async ({ bench: { system } }: Rig, webhooks: readonly string[]): Promise<void> => {
  for (const id of webhooks) await request(system, 'PATCH', `/v1/webhooks/${id}`, { active: false });
};

const byTurns = (urls: readonly string[], count: number): string[] =>
  Array.from({ length: count }, (_, n) => urls[n % urls.length] as string);

const deliveries = async ({ bench: { pool } }: Rig, where: string): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM webhooks.delivery WHERE ${where}`);
  return rows[0]?.n ?? 0;
};

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  for (const deadline = performance.now() + takenMaxMs; !(await isSo()); await sleep(pollMs)) {
    if (performance.now() > deadline) throw new Error('it takes too long');
  }
};

const syncedWithNews = async ({ system }: Bench, id: string): Promise<void> => {
  await newRows(system, id, 1);
  const { lastSyncedAt } = await request(system, 'GET', `/v1/connections/${id}`);
  await request(system, 'PUT', `/v1/connections/${id}/sync`);
  await untilSynced(system, id, lastSyncedAt as string);
};

/** A receiver that refuses: each of the webhooks is told so many events, and every delivery has failed at least once. */
const backlog = async (rig: Rig, webhooks: readonly string[], events: number): Promise<void> => {
  rig.tell('refuse');
  for (let round = 0; round < events / connections; round++) {
    await Promise.all(rig.ids.map((id) => syncedWithNews(rig.bench, id)));
  }
  const expected = webhooks.length * events;
  await until(async () => (await deliveries(rig, `status = 'pending' AND attempts > 0`)) === expected);
};

/**
 * Then it accepts, and all is sent again: deliveries a second to those that answer. A request for each webhook would take
 * its part of the machine; so their schedules begin anew at once here, and one request wakes the sender.
 */
const drained = async (rig: Rig, [one]: readonly string[], expected: number): Promise<number> => {
  const { system, pool } = rig.bench;
  rig.tell('accept');
  await pool.query(
    `UPDATE webhooks.delivery SET attempts_before = attempts, next_attempt_at = clock_timestamp() WHERE status = 'pending'`,
  );
  await request(system, 'POST', `/v1/webhooks/${one}/redeliver`, { since: new Date(0).toISOString() });
  return (await rig.received(expected)).perSecond;
};

const webhooksOfMany = 200;
const eventsOfMany = 50;

/** Of so many rows, whole rounds of all connections. */
const eventsOf = (rows: number, webhooks: number, eventsMax: number): number =>
  connections * Math.ceil(Math.min(eventsMax, rows / webhooks) / connections);

/** What is sent goes to hosts that a setting allows, which the guard asks of every address but does not resolve. */
const measureRate = async (rig: Rig, { rows, pairs }: MeasureOptions): Promise<Measured> => {
  const webhooks = await registered(rig, byTurns(rig.urls, webhooksOfMany), 'transactions.sync_available');
  const events = eventsOf(rows, webhooksOfMany, eventsOfMany);
  const count = webhooksOfMany * events;
  const raw = worker('raw-posts');
  const ours = async (): Promise<number> => {
    await backlog(rig, webhooks, events);
    const perSecond = await drained(rig, webhooks, count);
    await until(async () => (await deliveries(rig, `status <> 'delivered'`)) === 0);
    return perSecond;
  };
  const baseline = async (): Promise<number> => {
    const { rows: told } = await rig.bench.pool.query<{ body: string }>(
      'SELECT body FROM webhooks.notification ORDER BY created_at DESC LIMIT $1',
      [events],
    );
    rig.tell('accept');
    raw.child.send({ urls: rig.urls, bodies: told.map(({ body }) => body), count });
    await raw.reply();
    return (await rig.received(count)).perSecond;
  };
  try {
    await ours();
    await baseline();
    return { ...(await inPairs(pairs, { ours, baseline })), rows: count };
  } finally {
    raw.child.disconnect();
  }
};

export const deliveriesBench: Measurement = {
  id: 'P12',
  name: 'webhooks: deliveries on record, signed and logged / a loop of raw posts with undici',
  unit: 'deliveries/s',
  target: 0.4,
  floor: 0.25,
  run: (options) => withReceiver('bench_deliveries', options.databaseUrl, (rig) => measureRate(rig, options)),
};

const healthy = 40;
const hanging = 10;
/** Longer than the timeout of a delivery, so that some of those that hang are tried again. */
const flowMs = 30_000;
const perSecondEach = 1;
/** More is a machine that has too much to do: then a ratio says nothing of those that hang. */
const aloneTailMaxMs = 2000;
const eventsOfEach = 200;

/** With the webhooks that answer, and those that hang or without them. Registered for this alone: none has a past. */
const withWebhooks = async (
  rig: Rig,
  of: Readonly<{ event: EventType; isWhole: boolean }>,
  work: (webhooks: readonly string[]) => Promise<number>,
): Promise<number> => {
  const urls = [...byTurns(rig.urls, healthy), ...byTurns([rig.hangingUrl], of.isWhole ? hanging : 0)];
  const webhooks = await registered(rig, urls, of.event);
  const value = await work(webhooks);
  await ended(rig, webhooks);
  return value;
};

/** Tests asked for at an even rate: from then on until the receiver has each. */
const flow = async (rig: Rig, isWhole: boolean): Promise<number> =>
  withWebhooks(rig, { event: 'test', isWhole }, async (webhooks) => {
    rig.tell('accept');
    const { client, bench } = rig;
    const { baseUrl, testKey } = bench.system;
    const load: Load = {
      kind: 'paced',
      urls: webhooks.map((id) => `${baseUrl}/v1/webhooks/${id}/test`),
      headers: { authorization: `Bearer ${testKey}` },
      bodies: [''],
      perSecond: perSecondEach * webhooks.length,
      ms: flowMs,
    };
    client.child.send(load);
    await client.reply<Carried>();
    return (await rig.received((healthy * perSecondEach * flowMs) / 1000)).p99Ms;
  });

const againstAlone = (pairs: number, one: (isWhole: boolean) => Promise<number>) =>
  inPairs(pairs, { ours: () => one(true), baseline: () => one(false) });

export const hangingTailBench: Measurement = {
  id: 'P13a',
  name: 'webhooks while 10 of 50 hang to the timeout: p99 of the others / without those that hang',
  unit: 'ms',
  target: 1.5,
  floor: 3,
  lessIsBetter: true,
  run: ({ pairs, databaseUrl }) =>
    withReceiver('bench_hanging_tail', databaseUrl, async (rig) => {
      await flow(rig, false);
      const measured = await againstAlone(pairs, (isWhole) => flow(rig, isWhole));
      const isBehind = Math.max(...measured.baseline) > aloneTailMaxMs;
      const flaw = 'without those that hang it fell behind, too';
      return { ...measured, rows: (healthy * perSecondEach * flowMs) / 1000, ...(isBehind && { flaw }) };
    }),
};

export const hangingRateBench: Measurement = {
  id: 'P13b',
  name: 'webhooks while 10 of 50 hang to the timeout: rate of the others / without those that hang',
  unit: 'deliveries/s',
  target: 0.85,
  floor: 0.5,
  run: ({ rows, pairs, databaseUrl }) =>
    withReceiver('bench_hanging_rate', databaseUrl, async (rig) => {
      const events = eventsOf(rows, healthy, eventsOfEach);
      const one = (isWhole: boolean): Promise<number> =>
        withWebhooks(rig, { event: 'transactions.sync_available', isWhole }, async (webhooks) => {
          await backlog(rig, webhooks, events);
          return drained(rig, webhooks, healthy * events);
        });
      await one(false);
      return { ...(await againstAlone(pairs, one)), rows: healthy * events };
    }),
};
