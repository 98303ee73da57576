import { describeWithPostgres, programOf, withRoom, type Program } from '@causeway/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCounting, schema, type Counting } from './testing/tally.ts';

const names = ['first', 'second', 'third'];
/** What is promised of a runner that dies or stands still: its successor has begun by then. */
const replacedWithinMs = withRoom(5000);

describeWithPostgres('replicas of a service, as processes of their own', () => {
  let program: Program;
  let counting: Counting;
  const replicas: ChildProcess[] = [];

  const start = async (): Promise<ChildProcess> => {
    const stdio = ['ignore', 'pipe', 'inherit'] as ('ignore' | 'pipe' | 'inherit')[];
    const replica = spawn(process.execPath, [program.path, counting.url, ...names], { stdio });
    replicas.push(replica);
    if (replica.stdout !== null) await once(replica.stdout, 'data');
    return replica;
  };
  const end = async (replica: ChildProcess): Promise<void> => {
    if (replica.exitCode !== null || replica.signalCode !== null) return;
    const exited = once(replica, 'exit');
    replica.kill('SIGKILL');
    await exited;
  };

  beforeAll(async () => {
    program = await programOf(join(import.meta.dirname, 'testing', 'counting-process.ts'));
    counting = await openCounting();
  });
  afterAll(async () => {
    await Promise.all(replicas.map(end));
    await counting.close();
    program.remove();
  });

  type Hold = Readonly<{ name: string; holder: string; epoch: number }>;
  const holds = async (): Promise<readonly Hold[]> => {
    const sql = `SELECT name, holder, epoch::int FROM ${schema}.lease WHERE expires_at > clock_timestamp() ORDER BY name`;
    return (await counting.pool.query<Hold>(sql)).rows;
  };
  const tallies = () => Promise.all(names.map((name) => counting.tallies(name).catch(() => ({}))));
  const untilTallied = async (times: number, withinMs: number): Promise<void> => {
    const began = performance.now();
    for (;;) {
      const shown = JSON.stringify(await tallies());
      const tookMs = performance.now() - began;
      if (shown === JSON.stringify(names.map(() => ({ a: times })))) return;
      if (tookMs > withinMs) throw new Error(`${shown} after ${Math.round(tookMs)} ms`);
      await sleep(20);
    }
  };

  test('have one runner for each projection', async () => {
    await Promise.all([start(), start()]);
    await counting.count('a');
    await untilTallied(1, replacedWithinMs);
    const held = await holds();
    expect(held.map(({ name }) => name)).toEqual(names.map((name) => `projection ${name} v1`));
    const sessions = `SELECT count(DISTINCT application_name) FROM pg_stat_activity WHERE application_name LIKE 'replica %'`;
    expect((await counting.pool.query(sessions)).rows).toEqual([{ count: 2 }]);
  });

  test.each(['SIGKILL', 'SIGSTOP'] as const)(
    'of one that ends by %s the projections are another’s within 5 s, and nothing is counted twice',
    async (signal) => {
      await Promise.all(replicas.splice(0).map(end));
      const before = (await counting.tallies('first'))['a'] ?? 0;
      const runner = await start();
      await counting.count('a');
      await untilTallied(before + 1, replacedWithinMs);
      const epochs = (await holds()).map(({ epoch }) => epoch);
      expect(epochs).toHaveLength(names.length);
      await start();

      runner.kill(signal);
      await counting.count('a');
      await untilTallied(before + 2, replacedWithinMs);
      const taken = await holds();
      expect(taken.map(({ epoch }) => epoch)).toEqual(epochs.map((epoch) => epoch + 1));

      runner.kill('SIGCONT');
      await counting.count('a');
      await untilTallied(before + 3, replacedWithinMs);
      await sleep(500);
      await untilTallied(before + 3, 0);
      expect(await holds()).toEqual(taken);
    },
  );
});
