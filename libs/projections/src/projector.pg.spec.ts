import { beginning, type EventStore, type Position } from '@causeway/event-sourcing';
import { openPool } from '@causeway/postgres';
import { describeWithPostgres } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCounting, schema, tally, type Counting } from './testing/tally.ts';

const soon = 30_000;

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
      { name: 'tally', version: 1, state: 'following', position, parked: 0, lastFault: null },
    ]);
  });

  test('has its tables and views once it says so', async () => {
    const projector = counting.run([tally()]);
    await projector.made();
    expect(await counting.tallies()).toEqual({});
  });

  test('reads what has come, and nothing while it waits for more', async () => {
    const reads: Position[] = [];
    const { store } = counting;
    const readAll: EventStore['readAll'] = (after, limit) => {
      reads.push(after);
      return store.readAll(after, limit);
    };
    const first = await counting.count('a', 'b');
    const projector = counting.run([tally()], { store: { ...store, readAll } });
    await projector.passed('tally', first, soon);
    await projector.passed('tally', await counting.count('b'), soon);
    await sleep(50);
    expect(reads).toEqual([0, first]);
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
    expect(projector.status()[0]?.parked).toBe(0);
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

  test('that fails for another reason than its data parks nothing, and goes on when that has passed', async () => {
    const whole = tally();
    let failures = 3;
    const hindered = tally({
      project: async (tx, table, batch) => {
        if (failures-- > 0) await tx.query('SELECT * FROM not_there_yet');
        await whole.project(tx, table, batch);
      },
    });
    const projector = counting.run([hindered]);
    expect(await projector.passed('tally', await counting.count('a'), soon)).toBe(true);
    expect(await counting.tallies()).toEqual({ a: 1 });
    expect(projector.status()[0]).toMatchObject({ parked: 0, lastFault: expect.stringContaining('not_there_yet') });
  });

  test('writes to nothing that is not shown any more', async () => {
    const projector = counting.run([tally()]);
    expect(await projector.passed('tally', await counting.count('a'), soon)).toBe(true);
    // As a switch does that this runner has not heard of yet.
    const show = (live: boolean) => counting.pool.query(`UPDATE ${schema}.projection SET live = ${live}`);
    await show(false);
    expect(await projector.passed('tally', await counting.count('a'), 500)).toBe(false);
    const { rows } = await counting.pool.query(`SELECT times::int FROM ${schema}.tally_v1_g1`);
    expect(rows).toEqual([{ times: 1 }]);
    await show(true);
    expect(await projector.passed('tally', await counting.store.head(), soon)).toBe(true);
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
