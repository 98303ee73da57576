import { beginning } from '@causeway/event-sourcing';
import { describeWithPostgres, programOf, randomOf, type Program } from '@causeway/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addRequest, finished, requestById } from './requests.ts';
import { foldedBy, polling, type Fold, type FeedRow } from './testing/feed.ts';
import { openCounting, schema, type Counting } from './testing/tally.ts';

const firstSeed = Number(process.env['CAUSEWAY_KILL_SEED'] ?? 1);
const seeds = Array.from({ length: Number(process.env['CAUSEWAY_KILL_SEEDS'] ?? 2) }, (_, i) => firstSeed + i);
const steps = ['waiting', 'building', 'indexing', 'ready', 'switching', 'correcting'] as const;
const why = { reason: 'b counts otherwise', operator: 'ada' };

describeWithPostgres('kill -9 amid a switch', () => {
  let program: Program;
  let counting: Counting;
  let running: ChildProcess | undefined;
  beforeAll(async () => {
    program = await programOf(join(import.meta.dirname, 'testing', 'feed-process.ts'));
  });
  afterAll(() => program.remove());
  beforeEach(async () => {
    counting = await openCounting();
  });
  afterEach(async () => {
    await kill();
    await counting.close();
  });

  const start = async ({ version = 1, weight = 1 }: Fold): Promise<void> => {
    const args = [program.path, counting.url, String(version), String(weight)];
    running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    if (running.stdout) await once(running.stdout, 'data');
  };
  const kill = async (): Promise<void> => {
    if (running === undefined || running.exitCode !== null) return;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
    running = undefined;
  };

  /** Events come, and clients poll, until the end. */
  const flowing = (seed: number) => {
    const random = randomOf(seed);
    const client = polling(counting.pool);
    let isEnded = false;
    const until = async (work: () => Promise<unknown>): Promise<void> => {
      while (!isEnded) {
        await work();
        await sleep(10);
      }
    };
    const name = (): string => `${random.pick(['a', 'b', 'c'])}${random.below(400)}`;
    const all = Promise.all([until(() => counting.count(name(), name())), until(client.poll)]);
    return async (): Promise<ReadonlyMap<string, FeedRow>> => {
      isEnded = true;
      await all;
      await caughtUp();
      return client.drained();
    };
  };
  const caughtUp = async (): Promise<void> => {
    const head = await counting.store.head();
    const sql = `SELECT FROM ${schema}.projection WHERE live AND position >= $1`;
    while ((await counting.pool.query(sql, [head])).rowCount === 0) await sleep(20);
  };

  const requestNow = async (id: number) => {
    const request = await requestById(counting.pool, schema, id);
    if (request === undefined) throw new Error(`the request ${id} is gone`);
    return request;
  };
  /** Kills at one of the steps or at any time, and starts again, until the request is done. */
  const doneUnderKills = async (id: number, fold: Fold, seed: number): Promise<string[]> => {
    const random = randomOf(seed);
    const killedAt: string[] = [];
    for (let kills = 1 + random.below(3); ;) {
      const step = random.pick(steps);
      const until = performance.now() + (random.chance(0.4) ? random.below(2000) : 8000);
      for (let { state } = await requestNow(id); state !== step && performance.now() < until;) {
        if (finished.includes(state)) return killedAt;
        await sleep(random.below(8));
        state = (await requestNow(id)).state;
      }
      if (kills-- <= 0) {
        await sleep(100);
        continue;
      }
      killedAt.push((await requestNow(id)).state);
      await kill();
      await start(fold);
    }
  };

  const corrections = async (): Promise<readonly string[]> => {
    const { events } = await counting.store.readAll(beginning, 1_000_000);
    return events.filter(({ type }) => type === 'Corrected').map(({ data }) => JSON.stringify(data));
  };

  const seenAlike = async (fold: Fold, seen: ReadonlyMap<string, FeedRow>): Promise<void> => {
    const expected = await foldedBy(counting.store, fold);
    const times = (rows: ReadonlyMap<string, FeedRow>) => [...rows].map(([name, row]) => `${name} ${row.times}`).sort();
    expect(times(seen)).toEqual(times(expected));
    const told = await corrections();
    expect(new Set(told).size).toBe(told.length);
  };

  const counted = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await counting.count(...Array.from({ length: 500 }, (_, n) => `${'abc'[n % 3]}${n}`));
    await caughtUp();
  };

  test.each(seeds)(
    'a rebuild and the way back, seed %i',
    async (seed) => {
      const [old, fold] = [{ prefix: 'b' }, { prefix: 'b', weight: 3 }];
      await start(old);
      await counting.count('a');
      await sleep(500);
      await counted();
      await kill();
      await start(fold);
      const ended = flowing(seed);
      const rebuild = await addRequest(counting.pool, schema, {
        name: 'feed',
        kind: 'rebuild',
        whenReady: 'switch',
        ...why,
      });
      const killed = await doneUnderKills(rebuild.id, fold, seed);
      expect(await requestNow(rebuild.id)).toMatchObject({ state: 'switched', detail: null });
      await sleep(1500);
      const asked = {
        name: 'feed',
        kind: 'rollback',
        whenReady: 'switch',
        generation: 1,
        reason: 'back',
        operator: 'b',
      } as const;
      const back = await addRequest(counting.pool, schema, asked);
      const killedBack = await doneUnderKills(back.id, fold, seed + 1000);
      expect(await requestNow(back.id)).toMatchObject({ state: 'switched', detail: null });
      const again = { ...asked, kind: 'rebuild', generation: null, reason: 'once more' } as const;
      const last = await addRequest(counting.pool, schema, again);
      const killedAgain = await doneUnderKills(last.id, fold, seed + 2000);
      expect(await requestNow(last.id)).toMatchObject({ state: 'switched', detail: null });
      await seenAlike(fold, await ended());
      process.stderr.write(`seed ${seed}: killed at ${[killed, killedBack, killedAgain].map(String).join(' | ')}\n`);
    },
    120_000,
  );

  test.each(seeds)(
    'a new version, seed %i',
    async (seed) => {
      const [old, fold] = [{ prefix: 'b' }, { version: 2, prefix: 'b', weight: 3 }];
      await start(old);
      await counting.count('a');
      await sleep(500);
      await counted();
      const ended = flowing(seed);
      await kill();
      await start(fold);
      const asked = async (): Promise<number> => {
        for (;;) {
          const { rows } = await counting.pool.query<{ id: number }>(`SELECT id FROM ${schema}.projection_request`);
          if (rows[0] !== undefined) return rows[0].id;
          await sleep(10);
        }
      };
      const killed = await doneUnderKills(await asked(), fold, seed);
      const { rows } = await counting.pool.query(`SELECT version FROM ${schema}.projection WHERE live`);
      expect(rows).toEqual([{ version: 2 }]);
      await seenAlike(fold, await ended());
      process.stderr.write(`seed ${seed}: killed at ${killed.join()}\n`);
    },
    120_000,
  );
});
