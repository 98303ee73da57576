import { beginning } from '@causeway/event-sourcing';
import { newStream, numbered, orderFaults, readToHead } from '@causeway/event-sourcing/testing';
import { openPool, type PoolClient } from '@causeway/postgres';
import { describeWithPostgres, withRoom } from '@causeway/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { contiguityFaults } from './testing/contiguity.ts';
import { role, postgresStoreUnderTest, schema, type PostgresStoreUnderTest } from './testing/store.ts';

const sequence = `SELECT * FROM ${schema}.sequence(1000)`;

/** Connects, calls the sequencer, says so, and then does nothing: a process of its own, to be stopped. */
const stoppableProcess = `
import pg from 'pg';
const client = new pg.Client({ connectionString: process.argv[1] });
await client.connect();
const again = () => client.query(process.argv[2]).then(again);
void again();
console.log('at work');`;

describeWithPostgres('sequencers', () => {
  let made: PostgresStoreUnderTest;
  beforeEach(async () => {
    made = await postgresStoreUnderTest();
  });
  afterEach(() => made.close());

  /** Stored and queued; the store's own sequencer does not hear of them. */
  const queueAppends = async (count: number, client: PoolClient): Promise<void> => {
    for (let n = 0; n < count; n++) {
      await client.query(
        `SELECT ${schema}.append('thing-' || gen_random_uuid(), -1, ARRAY[gen_random_uuid()], '{}', NULL, ' [{"type":"A","data":{}}]')`,
      );
    }
  };

  const checkOrder = async (events: number): Promise<void> => {
    const found = await readToHead(made.store);
    expect(found).toHaveLength(events);
    expect(orderFaults(found)).toEqual([]);
    expect(await contiguityFaults(made.pool, schema)).toEqual([]);
  };

  test('many at once give each place once', async () => {
    const client = await made.owner.connect();
    await queueAppends(200, client);
    client.release();
    const callers = Array.from({ length: 8 }, async () => {
      for (let n = 0; n < 10; n++) await made.owner.query(`SELECT * FROM ${schema}.sequence(7)`);
    });
    await Promise.all(callers);
    await checkOrder(200);
  });

  test('one that is cut off in the middle gives its places to the next', async () => {
    const client = await made.owner.connect();
    await queueAppends(5, client);
    await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    expect((await client.query(sequence)).rows).toEqual([{ last_position: 5, more: false }]);
    const head = made.store.head();
    client.release(true);
    expect(await head).toBe(5);
    await checkOrder(5);
  });

  test('one whose snapshot is old is refused', async () => {
    const client = await made.owner.connect();
    try {
      await queueAppends(3, client);
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = 0');
      await client.query(`SELECT count(*) FROM ${schema}.sequenced`);
      expect(await made.store.head()).toBe(3);
      await expect(client.query(sequence)).rejects.toThrow(/serialize|duplicate key/);
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
    await checkOrder(3);
  });

  test('a process that is stopped holds nothing: the others go on at once', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', stoppableProcess, made.url, sequence], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      for (let n = 1; n <= 20; n++) {
        await made.store.append(numbered(newStream(), 0));
        child.kill('SIGSTOP');
        const begun = performance.now();
        expect(await made.store.head()).toBe(n);
        expect(performance.now() - begun).toBeLessThan(withRoom(5000));
        child.kill('SIGCONT');
      }
    } finally {
      child.kill('SIGKILL');
    }
    await checkOrder(20);
  });

  test('a clock that was set back does not set recordedAt back', async () => {
    await made.store.append(numbered(newStream(), 0, 3));
    await made.store.head();
    const future = Date.now() * 1000 + 3_600_000_000;
    await made.owner.query(`UPDATE ${schema}.sequenced SET recorded_at = $1`, [future]);
    await made.store.append(numbered(newStream(), 0));
    const { events } = await made.store.readAll(beginning, await made.store.head());
    expect(events.map(({ recordedAt }) => recordedAt)).toEqual([future, future + 1, future + 2, future + 3]);
  });

  test('a queue that a long snapshot keeps from being cleaned does not slow the sequencer down', async () => {
    const snapshot = await made.owner.connect();
    await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = 0');
    await snapshot.query(`SELECT count(*) FROM ${schema}.append`);
    const client = await made.owner.connect();
    await client.query(`INSERT INTO ${schema}.unsequenced (stream, last_revision, event_count)
      SELECT 'thing-' || n, 0, 1 FROM generate_series(1, 20000) n`);
    await client.query(`SELECT ${schema}.sequence(20000)`);
    const plan = await client.query<Readonly<Record<'QUERY PLAN', string>>>(`EXPLAIN (ANALYZE, BUFFERS) ${sequence}`);
    const [, hit, read = 0] = /shared hit=(\d+)(?: read=(\d+))?/.exec(JSON.stringify(plan.rows)) ?? [];
    // The 20,000 dead rows fill some 200 pages.
    expect(Number(hit) + Number(read)).toBeLessThan(400);
    client.release();
    await snapshot.query('ROLLBACK');
    snapshot.release();
  });
});

describeWithPostgres('a store', () => {
  test('appends in one round trip, and many at once in few', async () => {
    const made = await postgresStoreUnderTest();
    const pool = openPool({ url: made.url, applicationName: 'counted', role });
    const sent: string[] = [];
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      const counted = (...args: unknown[]): unknown => {
        sent.push((args[0] as { name?: string }).name ?? String(args[0]));
        return query(...args);
      };
      Object.assign(client, { query: counted });
    });
    const store = made.storeOn(pool);
    const appends = (): string[] => sent.filter((name) => name.includes('append'));
    try {
      await store.append(numbered(newStream(), 0));
      expect(appends()).toHaveLength(1);
      await store.append(numbered(newStream(), 0, 1000));
      expect(appends()).toHaveLength(2);
      await Promise.all(Array.from({ length: 60 }, () => store.append(numbered(newStream(), 0))));
      expect(appends().length).toBeLessThan(2 + 10);
    } finally {
      await store.close();
      await pool.end();
      await made.close();
    }
  });
});
