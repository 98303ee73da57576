import { beginning } from '@causeway/event-sourcing';
import { openPool } from '@causeway/postgres';
import { describeWithPostgres } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Poison } from './run.ts';
import { openCounting, schema, tally, type Counting } from './testing/tally.ts';

const soon = 5000;

describeWithPostgres('a projection', () => {
  let counting: Counting;
  beforeEach(async () => {
    counting = await openCounting();
  });
  afterEach(() => counting.close());

  test('shows what was appended before and while it runs', async () => {
    await counting.count('a', 'b', 'a');
    const projector = counting.run([tally()]);
    const position = await counting.count('a');
    expect(await projector.passed('tally', position, soon)).toBe(true);
    expect(await counting.tallies()).toEqual({ a: 3, b: 1 });
    expect(projector.status()).toEqual([
      { name: 'tally', version: 1, state: 'following', position, failure: null, lastFault: null },
    ]);
  });

  test('has its tables and views once it says so', async () => {
    const projector = counting.run([tally()]);
    await projector.made();
    expect(await counting.tallies()).toEqual({});
  });

  test('goes on where it was after a stop', async () => {
    const first = counting.run([tally()]);
    await first.passed('tally', await counting.count('a', 'b'), soon);
    await first.stop();
    const position = await counting.count('b');
    const second = counting.run([tally()]);
    expect(await second.passed('tally', position, soon)).toBe(true);
    expect(await counting.tallies()).toEqual({ a: 1, b: 2 });
  });

  test('that has not come so far says so when the time is up', async () => {
    const projector = counting.run([tally()]);
    await projector.stop();
    expect(await projector.passed('tally', await counting.count('a'), 50)).toBe(false);
  });

  test('whose session is killed between rows and checkpoint projects nothing twice', async () => {
    let kills = 3;
    const whole = tally();
    const killed = tally({
      project: async (tx, table, batch) => {
        await whole.project(tx, table, batch);
        if (kills-- > 0) await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
      },
    });
    await counting.count('a', 'b');
    const projector = counting.run([killed]);
    expect(await projector.passed('tally', await counting.count('b'), soon)).toBe(true);
    expect(kills).toBeLessThan(0);
    expect(await counting.tallies()).toEqual({ a: 1, b: 2 });
    expect(projector.status()[0]?.failure).toBeNull();
  });

  test('has one runner of several, and another takes over when it ends', async () => {
    const projectors = [1, 2, 3].map(() => counting.run([tally()]));
    for (let i = 0; i < 5; i++) await counting.count('a');
    const position = await counting.count('a');
    expect(await Promise.all(projectors.map((p) => p.passed('tally', position, soon)))).toEqual([true, true, true]);
    const following = projectors.filter((p) => p.status()[0]?.state === 'following');
    expect(following).toHaveLength(1);
    await following[0]?.stop();
    const later = await counting.count('a');
    const rest = projectors.filter((p) => p !== following[0]);
    expect(await Promise.all(rest.map((p) => p.passed('tally', later, soon)))).toEqual([true, true]);
    expect(await counting.tallies()).toEqual({ a: 7 });
  });

  test('refuses what a runner writes that was stopped in mid-batch and replaced meanwhile', async () => {
    let resume = (): void => undefined;
    let freeze = (): void => undefined;
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    const frozen = new Promise<void>((resolve) => (freeze = resolve));
    const whole = tally();
    let writes = 0;
    const sleeper = tally({
      project: async (tx, table, batch) => {
        writes++;
        freeze();
        await resumed;
        await whole.project(tx, table, batch);
      },
    });
    const stopped = counting.run([sleeper]);
    await counting.count('a');
    await frozen;
    // Somebody takes the lease, as soon as the server has ended the frozen session that holds it.
    await counting.pool.query(`UPDATE ${schema}.lease SET epoch = epoch + 1, expires_at = now()`);
    const successor = counting.run([tally()]);
    const position = await counting.count('a', 'b');
    expect(await successor.passed('tally', position, soon)).toBe(true);
    resume();
    await sleep(300);
    expect(writes).toBe(1);
    expect(stopped.status()[0]?.state).toBe('waiting');
    expect(await counting.tallies()).toEqual({ a: 2, b: 1 });
  });

  test('that meets an event it cannot take stops there, loudly, and no other does', async () => {
    const poisons: Poison[] = [];
    const whole = tally();
    const delicate = tally({
      name: 'delicate',
      tables: ['delicate'],
      ddl: (table) => whole.ddl(() => table('delicate')),
      indexes: () => [],
      views: () => [],
      project: async (tx, table, batch) => {
        if (batch.some(({ data }) => (data as { name: string }).name === 'poison'))
          throw new Error('no such connection');
        await whole.project(tx, () => table('delicate'), batch);
      },
    });
    await counting.count('a', 'b', 'poison', 'c');
    const onPoison = async (poison: Poison) => void poisons.push(poison);
    const projector = counting.run([delicate, tally()], { onPoison });
    const position = await counting.count('d');
    expect(await projector.passed('tally', position, soon)).toBe(true);
    expect(await counting.tallies()).toEqual({ a: 1, b: 1, c: 1, d: 1, poison: 1 });
    while (poisons.length === 0) await sleep(10);
    expect(poisons).toEqual([
      expect.objectContaining({ projection: 'delicate', position: 3, reason: 'no such connection' }),
    ]);
    expect(projector.status()).toEqual([
      expect.objectContaining({ name: 'delicate', state: 'failed', position: 2 }),
      expect.objectContaining({ name: 'tally', state: 'following', position }),
    ]);
    const { rows } = await counting.pool.query<object>(
      `SELECT position, failed_position, failure FROM ${schema}.projection WHERE name = 'delicate'`,
    );
    expect(rows).toEqual([{ position: 2, failed_position: 3, failure: expect.stringContaining('no such connection') }]);
  });

  test('that was stopped by an event takes it once its fold can', async () => {
    let able = false;
    const whole = tally();
    const learning = tally({
      project: async (tx, table, batch) => {
        if (!able) await tx.query('SELECT 1/0');
        await whole.project(tx, table, batch);
      },
    });
    const first = counting.run([learning]);
    const position = await counting.count('a');
    while (first.status()[0]?.state !== 'failed') await sleep(10);
    await first.stop();
    able = true;
    const second = counting.run([learning]);
    expect(await second.passed('tally', position, soon)).toBe(true);
    const { rows } = await counting.pool.query(`SELECT failure, failed_position FROM ${schema}.projection`);
    expect(rows).toEqual([{ failure: null, failed_position: null }]);
  });

  test('holds in its tables what a service’s role may write and no more than it was given', async () => {
    const url = new URL((counting.pool.options as { connectionString: string }).connectionString);
    const pool = openPool({ url: url.href, applicationName: 'role', role: 'causeway_counting', connectionsMax: 4 });
    const { rows } = await pool.query<{ user: string }>('SELECT current_user AS user');
    expect(rows).toEqual([{ user: 'causeway_counting' }]);
    const projector = counting.run([tally()], { pool });
    const position = await counting.count('a');
    expect(await projector.passed('tally', position, soon)).toBe(true);
    await projector.stop();
    await pool.end();
    expect(position).toBeGreaterThan(beginning);
  });
});
