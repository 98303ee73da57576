import { describeWithPostgres, testDatabase, withRoom, type TestDatabase } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLease, holdLease, leaseMigrations, LeaseLost, releaseLease, runLeased } from './lease.ts';
import type { Lease } from './renewals.ts';
import { migrate } from './migrate.ts';
import { inTransaction } from './pool.ts';
import { renewLeases } from './renewals.ts';

const schema = 'ledger';
const ttlMs = 60_000;
/** Of a lease that is renewed while its work runs. */
const runTtlMs = 1500;

describeWithPostgres('a lease', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
    await migrate(database.url, schema, leaseMigrations(schema));
  });
  afterAll(() => database.drop());

  const acquire = (name: string, holder: string) => acquireLease(database.pool, { schema, name, holder, ttlMs });
  const runOut = (name: string) =>
    database.pool.query(`UPDATE ${schema}.lease SET expires_at = clock_timestamp() WHERE name = $1`, [name]);
  const faults: unknown[] = [];
  const run = (
    name: string,
    holder: string,
    signal: AbortSignal,
    work: (lease: Lease, s: AbortSignal) => Promise<void>,
  ) => {
    const options = { schema, name, holder, ttlMs: runTtlMs, signal };
    return runLeased(database.pool, { ...options, onFault: (error) => faults.push(error) }, work);
  };

  test('has one holder, whoever asks at the same time', async () => {
    const asked = await Promise.all(Array.from({ length: 8 }, (_, i) => acquire('race', `process ${i}`)));
    expect(asked.filter((lease) => lease !== undefined)).toEqual([{ schema, name: 'race', epoch: 1 }]);
  });

  test('goes to another once it has run out, under a higher epoch', async () => {
    await acquire('expiry', 'a');
    expect(await acquire('expiry', 'b')).toBeUndefined();
    await runOut('expiry');
    expect(await acquire('expiry', 'b')).toEqual({ schema, name: 'expiry', epoch: 2 });
  });

  test('that is renewed does not run out; one that was taken cannot be renewed', async () => {
    const lease = (await acquire('renewal', 'a')) as Lease;
    await runOut('renewal');
    expect((await renewLeases(database.pool, [lease], ttlMs)).has(lease)).toBe(true);
    expect(await acquire('renewal', 'b')).toBeUndefined();
    await runOut('renewal');
    await acquire('renewal', 'b');
    expect((await renewLeases(database.pool, [lease], ttlMs)).has(lease)).toBe(false);
  });

  test('is renewed with the others of its schema by one statement, also while a transaction holds it', async () => {
    const leases = (await Promise.all(['one', 'two', 'three'].map((name) => acquire(name, 'a')))) as Lease[];
    const gone = { ...(leases[2] as Lease), epoch: 7 };
    await inTransaction(database.pool, async (tx) => {
      await holdLease(tx, leases[0] as Lease);
      const kept = await renewLeases(database.pool, [...leases.slice(0, 2), gone], ttlMs);
      expect([...kept]).toEqual(leases.slice(0, 2));
    });
  });

  test('given out before the clock was set back by an hour keeps nobody waiting', async () => {
    await acquire('set back', 'a');
    await database.pool.query(
      `UPDATE ${schema}.lease SET expires_at = expires_at + interval '1 hour' WHERE name = 'set back'`,
    );
    expect(await acquire('set back', 'b')).toMatchObject({ epoch: 2 });
    expect(await acquire('set back', 'c')).toBeUndefined();
  });

  test('that was given back is free at once', async () => {
    await releaseLease(database.pool, (await acquire('release', 'a')) as Lease);
    expect(await acquire('release', 'b')).toMatchObject({ epoch: 2 });
  });

  test('refuses the late writes of a holder that was replaced', async () => {
    const lease = (await acquire('fence', 'a')) as Lease;
    await runOut('fence');
    await acquire('fence', 'b');
    await expect(inTransaction(database.pool, (tx) => holdLease(tx, lease))).rejects.toThrow(LeaseLost);
  });

  test('does not change hands under a transaction that holds it, even when it has run out', async () => {
    const lease = (await acquire('held', 'a')) as Lease;
    const order: string[] = [];
    let taken: Promise<unknown> | undefined;
    await inTransaction(database.pool, async (tx) => {
      await holdLease(tx, lease);
      await runOut('held');
      taken = acquire('held', 'b').then((next) => order.push(`epoch ${next?.epoch}`));
      await sleep(300);
      order.push('written');
    });
    await taken;
    expect(order).toEqual(['written', 'epoch 2']);
  });

  test('of a holder that froze inside a transaction is taken over within 5 s, and what it wrote is gone', async () => {
    await database.pool.query('CREATE TABLE written (n int)');
    const frozen = await database.pool.connect();
    frozen.on('error', () => undefined);
    const lease = (await acquireLease(database.pool, { schema, name: 'frozen', holder: 'a' })) as Lease;
    const since = performance.now();
    await frozen.query('BEGIN');
    await holdLease(frozen, lease);
    await frozen.query('INSERT INTO written VALUES (1)');

    const stop = new AbortController();
    await run('frozen', 'b', stop.signal, async ({ epoch }) => {
      expect(epoch).toBe(2);
      stop.abort();
    });
    expect(performance.now() - since).toBeLessThan(withRoom(5000));
    await expect(frozen.query('COMMIT')).rejects.toThrow();
    frozen.release(true);
    expect((await database.pool.query('SELECT * FROM written')).rows).toEqual([]);
  });

  test('keeps its work running for longer than the ttl, and moves on when the holder stops', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const epochs: number[] = [];
    const work = async ({ epoch }: Lease, signal: AbortSignal) => {
      epochs.push(epoch);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    const a = run('work', 'a', first.signal, work);
    await sleep(50);
    const b = run('work', 'b', second.signal, work);
    await sleep(2 * runTtlMs);
    expect(epochs).toEqual([1]);
    first.abort();
    await a;
    while (epochs.length < 2) await sleep(20);
    expect(epochs).toEqual([1, 2]);
    second.abort();
    await b;
    expect(faults).toEqual([]);
  });

  test('work that throws is told of and taken up again', async () => {
    const stop = new AbortController();
    const told: unknown[] = [];
    const options = {
      schema,
      name: 'faulty',
      holder: 'a',
      ttlMs: runTtlMs,
      signal: stop.signal,
      onFault: (e: unknown) => told.push(e),
    };
    let runs = 0;
    await runLeased(database.pool, options, async () => {
      runs += 1;
      if (runs === 1) throw new Error('no');
      stop.abort();
    });
    expect(told).toEqual([new Error('no')]);
  });
});
