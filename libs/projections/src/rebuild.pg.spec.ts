import { beginning } from '@causeway/event-sourcing';
import { describeWithPostgres } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { addRequest, answerRequest, finished, requestById, type ProjectionRequest } from './requests.ts';
import { openCounting, schema, tally, type Counting } from './testing/tally.ts';

const soon = 30_000;

describeWithPostgres('a rebuild', () => {
  let counting: Counting;
  beforeEach(async () => {
    counting = await openCounting();
  });
  afterEach(() => counting.close());

  const ask = (kind: 'rebuild' | 'verify', whenReady: ProjectionRequest['whenReady']): Promise<ProjectionRequest> =>
    addRequest(counting.pool, schema, { name: 'tally', kind, whenReady });

  const reaching = async (
    { id }: ProjectionRequest,
    isReached: (request: ProjectionRequest) => boolean,
  ): Promise<ProjectionRequest> => {
    for (;;) {
      const request = (await requestById(counting.pool, schema, id)) as ProjectionRequest;
      if (isReached(request)) return request;
      await sleep(20);
    }
  };
  const done = (request: ProjectionRequest) => reaching(request, ({ state }) => finished.includes(state));

  type Shown = Readonly<{ generation: number; stage: string }>;
  /** What is left once nothing is there but what is live and what was before. */
  const left = async (): Promise<readonly Shown[]> => {
    for (;;) {
      const sql = `SELECT generation, stage FROM ${schema}.projection ORDER BY generation`;
      const { rows } = await counting.pool.query<Shown>(sql);
      if (rows.every(({ stage }) => stage === 'live' || stage === 'kept')) return rows;
      await sleep(20);
    }
  };
  const first: Shown = { generation: 1, stage: 'live' };
  const untilLive = async (version: number): Promise<void> => {
    const sql = `SELECT FROM ${schema}.projection WHERE live AND version = $1`;
    while ((await counting.pool.query(sql, [version])).rowCount === 0) await sleep(20);
  };

  const running = async (...names: string[]) => {
    const projector = counting.run([tally()]);
    await projector.passed('tally', await counting.count(...names), soon);
    return projector;
  };

  test('switches to a new generation with the same rows, and keeps the old one', async () => {
    const projector = await running('a', 'b', 'a');
    const request = await done(await ask('rebuild', 'switch'));
    expect(request).toMatchObject({ state: 'switched', events: 3, total: 3 });
    expect(await counting.tallies()).toEqual({ a: 2, b: 1 });
    expect(await left()).toEqual([
      { generation: 1, stage: 'kept' },
      { generation: 2, stage: 'live' },
    ]);
    await projector.passed('tally', await counting.count('b'), soon);
    expect(await counting.tallies()).toEqual({ a: 2, b: 2 });
  });

  test('loses nothing of what is appended meanwhile, and no reader sees an error or goes back', async () => {
    const projector = await running('a');
    let stop = false;
    const reader = (async () => {
      for (let most = 0; !stop;) {
        const { a = 0 } = await counting.tallies();
        expect(a).toBeGreaterThanOrEqual(most);
        most = a;
      }
    })();
    const requests = [await ask('rebuild', 'switch'), await ask('rebuild', 'switch'), await ask('rebuild', 'switch')];
    const outcomes = Promise.all(requests.map(done));
    let counted = 1;
    for (let ended = false; !ended; counted++) {
      await counting.count('a');
      ended = await Promise.race([outcomes.then(() => true), sleep(1, false)]);
    }
    expect((await outcomes).map(({ state }) => state)).toEqual(['switched', 'switched', 'switched']);
    const position = await counting.store.head();
    expect(await projector.passed('tally', position, soon)).toBe(true);
    stop = true;
    await reader;
    expect(await counting.tallies()).toEqual({ a: counted });
    expect(await left()).toEqual([
      { generation: 3, stage: 'kept' },
      { generation: 4, stage: 'live' },
    ]);
  });

  test('that is not to be switched to is dropped', async () => {
    await running('a');
    expect(await done(await ask('rebuild', 'drop'))).toMatchObject({ state: 'discarded' });
    expect(await left()).toEqual([first]);
  });

  test('waits, and keeps up, until the operator has decided', async () => {
    await running('a');
    const request = await ask('rebuild', 'ask');
    await reaching(request, ({ state }) => state === 'ready');
    expect(await counting.generations()).toEqual([
      { name: 'tally', version: 1, generation: 1, live: true },
      { name: 'tally', version: 1, generation: 2, live: false },
    ]);
    await counting.count('b');
    await answerRequest(counting.pool, schema, { id: request.id, whenReady: 'switch' });
    expect(await done(request)).toMatchObject({ state: 'switched' });
    expect(await counting.tallies()).toEqual({ a: 1, b: 1 });
  });

  test('of an operator who has gone away is dropped', async () => {
    await running('a');
    const request = await ask('rebuild', 'ask');
    await reaching(request, ({ state }) => state === 'ready');
    await counting.pool.query(`UPDATE ${schema}.projection_request SET asked_at = now() - interval '1 minute'`);
    expect(await done(request)).toMatchObject({ state: 'discarded' });
  });

  test('waits for a long reader of the views instead of queueing everybody behind it', async () => {
    await running('a');
    const reader = await counting.pool.connect();
    await reader.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    await reader.query(`SELECT * FROM ${schema}.tally_v1`);
    const request = await ask('rebuild', 'switch');
    await reaching(request, ({ state }) => state === 'switching');
    for (let i = 0; i < 5; i++) {
      // One that was queued would be given up as a lock that nobody gets.
      expect(await counting.tallies()).toEqual({ a: 1 });
      await sleep(200);
    }
    await reader.query('COMMIT');
    reader.release();
    expect(await done(request)).toMatchObject({ state: 'switched' });
  });

  test('that was cut off goes on in the next runner', async () => {
    const whole = tally();
    let slow = true;
    const blocked = tally({
      project: async (tx, table, batch) => {
        if (slow && table('tally').endsWith('_g2')) await tx.query('SELECT pg_sleep(1)');
        await whole.project(tx, table, batch);
      },
    });
    const first = counting.run([blocked]);
    await first.passed('tally', await counting.count('a'), soon);
    const request = await ask('rebuild', 'switch');
    await reaching(request, ({ state }) => state === 'building');
    await first.stop();
    slow = false;
    counting.run([blocked]);
    expect(await done(request)).toMatchObject({ state: 'switched' });
    expect(await counting.tallies()).toEqual({ a: 1 });
    expect(await left()).toEqual([
      { generation: 1, stage: 'kept' },
      { generation: 2, stage: 'live' },
    ]);
  });

  test('comes by itself with a higher version, while a process of the version before still runs', async () => {
    const old = await running('a', 'b');
    const doubled = tally({
      version: 2,
      views: (table) => [
        `DROP VIEW IF EXISTS ${schema}.tally_v1`,
        `CREATE VIEW ${schema}.tally_v1 AS SELECT name, 2 * times::int AS times FROM ${table('tally')}`,
      ],
    });
    const next = counting.run([doubled]);
    await untilLive(2);
    const position = await counting.count('b');
    expect(await next.passed('tally', position, soon)).toBe(true);
    expect(await counting.tallies()).toEqual({ a: 2, b: 4 });
    expect(await old.passed('tally', position, soon)).toBe(true);
    expect(await left()).toEqual([
      { generation: 1, stage: 'kept' },
      { generation: 2, stage: 'live' },
    ]);
  });

  test('is asked of the version that is live, and of no older one that still runs', async () => {
    const old = await running('a');
    await old.stop();
    const next = counting.run([tally({ version: 2 })]);
    await untilLive(2);
    await next.stop();
    const older = counting.run([tally()]);
    const request = await ask('rebuild', 'switch');
    await sleep(1500);
    expect(await requestById(counting.pool, schema, request.id)).toMatchObject({ state: 'waiting' });
    expect(older.status()[0]?.state).toBe('waiting');
    counting.run([tally({ version: 2 })]);
    expect(await done(request)).toMatchObject({ state: 'switched' });
    expect(await counting.generations()).toEqual([
      { name: 'tally', version: 2, generation: 2, live: false },
      { name: 'tally', version: 2, generation: 3, live: true },
    ]);
  });

  test('that shows what the live rows have held back since is begun anew, and holds it back too', async () => {
    await running('a', 'b');
    const request = await ask('rebuild', 'ask');
    await reaching(request, ({ state }) => state === 'ready');
    const { events } = await counting.store.readAll(beginning, 2);
    await counting.pool.query(
      `INSERT INTO ${schema}.parked
         (name, generation, stream, from_revision, through, position, tried_at, version, reason, told)
       VALUES ('tally', 1, $1, 1, 1, 2, 2, 1, 'cannot be folded', true)`,
      [events[1]?.stream],
    );
    await answerRequest(counting.pool, schema, { id: request.id, whenReady: 'switch', reason: 'b is held' });
    expect(await done(request)).toMatchObject({ state: 'switched', detail: null });
    expect(await counting.tallies()).toEqual({ a: 1 });
  });

  test('for comparison finds equal what is equal, and leaves nothing behind', async () => {
    await running('a', 'b');
    expect(await done(await ask('verify', 'drop'))).toMatchObject({
      state: 'equal',
      events: 2,
      total: 2,
      detail: null,
    });
    expect(await left()).toEqual([first]);
  });

  test('for comparison finds equal what changes all the time', async () => {
    await running('a');
    const request = await ask('verify', 'drop');
    const outcome = done(request);
    while (!(await Promise.race([outcome.then(() => true), sleep(1, false)]))) await counting.count('a', 'b');
    expect(await outcome).toMatchObject({ state: 'equal' });
  });

  test('for comparison finds one row that is not as the events say', async () => {
    await running('a', 'b');
    await counting.pool.query(`UPDATE ${schema}.tally_v1_g1 SET times = 7 WHERE name = 'a'`);
    expect(await done(await ask('verify', 'drop'))).toMatchObject({ state: 'different', changed: 1 });
  });
});
