import { postgresDataKeys } from '@causeway/data-keys';
import { connection, type ConnectionCommand, type ConnectionEvent } from '@causeway/domain/connections';
import type { NewEvent, StreamName } from '@causeway/event-sourcing';
import { postgresEventStore } from '@causeway/event-store-postgres';
import { testMasterKeys } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inPairs, type Measurement } from './measurement.ts';
import { percentile } from './percentile.ts';
import { newConnection, onSystem, request, untilSynced, type Bench } from './synced-system.ts';

/** Ten years of hourly runs. */
const runs = 10 * 365 * 24 + 2 * 24 * 5;
const runsPerAppend = 200;
const commands = 300;
const warmUpCommands = 50;
/** Slow ones are not waited for that often. */
const takenMaxMs = 10_000;
const tooSoon = 429;
const pollMs = 100;

const scope = { organization: 'demo', environment: 'test' } as const;

/** What the rules make of ever so many runs, in the connection's own stream, the last of them just now. */
const age = async ({ pool, system }: Bench, connectionId: string): Promise<void> => {
  const dataKeys = postgresDataKeys({ pool, masterKeys: testMasterKeys });
  const store = postgresEventStore({ pool, schema: 'connections_events', dataKeys });
  const stream: StreamName = `connection-${connectionId}`;
  const history = await store.readStream<ConnectionEvent>(stream);
  let state = history.reduce(connection.evolve, connection.initial);
  let expected = history.at(-1)?.revision ?? ('no-stream' as const);
  const metadata = { correlationId: randomUUID(), causationId: randomUUID(), ...scope };
  const decided = (command: ConnectionCommand): NewEvent<ConnectionEvent>[] => {
    const decision = connection.decide(state, command);
    if (decision.outcome === 'rejected') throw new Error(decision.rejection.code);
    state = decision.events.reduce(connection.evolve, state);
    return decision.events.map((event) => ({ ...event, id: randomUUID() }));
  };
  for (let run = 0; run < runs;) {
    const events: NewEvent<ConnectionEvent>[] = [];
    for (const end = Math.min(runs, run + runsPerAppend); run < end; run++) {
      const ids = { connectionId, at: new Date().toISOString(), runId: randomUUID() };
      events.push(...decided({ ...ids, type: 'StartSync', scope, trigger: 'schedule', cooldownSeconds: 0 }));
      events.push(...decided({ ...ids, type: 'CompleteSync', changes: 0, fault: null }));
    }
    const outcome = await store.append({ stream, expected, events, metadata, dataKey: null });
    if (outcome === 'conflict') throw new Error(`${stream}: somebody else wrote`);
    expected = ((typeof expected === 'number' ? expected : -1) + events.length) as typeof expected;
  }
  await store.close();
  const lastEnd = 'lastRun' in state ? state.lastRun?.endedAt : null;
  while ((await request(system, 'GET', `/v1/connections/${connectionId}`))['lastSyncedAt'] !== lastEnd) {
    await sleep(pollMs);
  }
};

/** A sync that is asked for too soon, so many times, one after the other: what the rules need to say so is all they do. */
const refusedMs = async ({ system }: Bench, connectionId: string, times: number): Promise<number> => {
  const headers = { authorization: `Bearer ${system.testKey}` };
  const taken: number[] = [];
  const deadline = performance.now() + takenMaxMs;
  for (let time = 0; time < times && performance.now() < deadline; time++) {
    const began = performance.now();
    const answer = await fetch(`${system.baseUrl}/v1/connections/${connectionId}/sync`, { method: 'PUT', headers });
    await answer.arrayBuffer();
    taken.push(performance.now() - began);
    if (answer.status !== tooSoon) throw new Error(`not refused: ${answer.status}`);
  }
  return percentile(taken, 0.5);
};

export const oldConnectionBench: Measurement = {
  id: 'P19a',
  name: 'a refused command, p50: a connection with ten years of hourly runs / a new one',
  unit: 'ms',
  target: 1.2,
  floor: 2,
  lessIsBetter: true,
  run: ({ pairs, databaseUrl }) => {
    const env = { CAUSEWAY_SYNC_COOLDOWN_SECONDS: '86400', CAUSEWAY_SYNC_INTERVAL_SECONDS: '0' };
    return onSystem({ rows: 1, serverUrl: databaseUrl, name: 'bench_age', env }, async (bench) => {
      const [old, fresh] = [
        await newConnection(bench.system, 'sandbox-large'),
        await newConnection(bench.system, 'sandbox-large'),
      ];
      for (const id of [old, fresh]) await untilSynced(bench.system, id, undefined);
      await age(bench, old);
      for (const id of [old, fresh]) await refusedMs(bench, id, warmUpCommands);
      const measured = await inPairs(pairs, {
        ours: () => refusedMs(bench, old, commands),
        baseline: () => refusedMs(bench, fresh, commands),
      });
      return { ...measured, rows: runs };
    });
  },
};
