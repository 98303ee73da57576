import { beginning } from '@causeway/event-sourcing';
import { describeWithPostgres } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { addRequest, cancelRequest, finished, requestById, type Asked, type ProjectionRequest } from './requests.ts';
import { feed, feedView, polling, type FeedRow } from './testing/feed.ts';
import { openCounting, schema, type Counting } from './testing/tally.ts';

const soon = 5000;
const why = { reason: 'b counts twice', operator: 'ada' };
const twice = { prefix: 'b', weight: 2 };

describeWithPostgres('a switch to rows that differ', () => {
  let counting: Counting;
  beforeEach(async () => {
    counting = await openCounting();
  });
  afterEach(() => counting.close());

  const ask = (of: Partial<Asked> = {}): Promise<ProjectionRequest> =>
    addRequest(counting.pool, schema, { name: 'feed', kind: 'rebuild', whenReady: 'switch', ...of });
  const reaching = async (id: number, states: readonly string[]): Promise<ProjectionRequest> => {
    for (;;) {
      const request = await requestById(counting.pool, schema, id);
      if (request !== undefined && states.includes(request.state)) return request;
      await sleep(5);
    }
  };
  const done = async (asked: Promise<ProjectionRequest>) => reaching((await asked).id, finished);
  const rows = async (): Promise<readonly FeedRow[]> => {
    const sql = `SELECT name, times, updated_at::text AS at FROM ${feedView} ORDER BY updated_at, name`;
    return (await counting.pool.query<FeedRow>(sql)).rows;
  };
  const times = async () => Object.fromEntries((await rows()).map(({ name, times: n }) => [name, n]));
  const corrections = async () => {
    const { events } = await counting.store.readAll(beginning, 1_000_000);
    return events.filter(({ type }) => type === 'Corrected').map(({ data }) => data);
  };
  /** Counted by one fold, and then kept by a process with another. */
  const mended = async (...names: string[]) => {
    const first = counting.run([feed()]);
    await first.passed('feed', await counting.count(...names), soon);
    await first.stop();
    return counting.run([feed(twice)]);
  };

  test('records each row that does, with reason and operator; it is then at the head of the feed, and no other moved', async () => {
    await mended('b', 'a', 'b2', 'c');
    const before = await rows();
    const client = polling(counting.pool);
    await client.drained();
    expect(await done(ask(why))).toMatchObject({ state: 'switched', added: 0, changed: 2, removed: 0 });
    expect(await corrections()).toEqual([
      { name: 'b', ...why },
      { name: 'b2', ...why },
    ]);
    const after = await rows();
    expect(after.map(({ name, times: n }) => [name, n])).toEqual([['a', 1], ['c', 1], ['b', 2], ['b2', 2]]); // prettier-ignore
    expect(after.slice(0, 2)).toEqual(before.filter(({ name }) => !name.startsWith('b')));
    expect([...(await client.drained()).values()].sort((x, y) => (x.at < y.at ? -1 : 1))).toEqual(after);
  });

  test('is followed by a rebuild that finds nothing', async () => {
    const projector = await mended('b', 'a');
    await done(ask(why));
    await projector.passed('feed', await counting.count('b', 'c'), soon);
    const before = await rows();
    expect(await done(ask())).toMatchObject({ state: 'switched', added: 0, changed: 0, removed: 0 });
    expect(await rows()).toEqual(before);
    expect(await corrections()).toHaveLength(1);
  });

  test('needs a reason; without one the live rows go on', async () => {
    const projector = await mended('b', 'a');
    expect(await done(ask())).toMatchObject({ state: 'failed', detail: 'rows differ: a reason is needed' });
    await projector.passed('feed', await counting.count('a'), soon);
    expect(await times()).toEqual({ a: 2, b: 1 });
    expect(await corrections()).toEqual([]);
  });

  test('keeps what was live, which follows the events; going back is such a switch too', async () => {
    const projector = await mended('b', 'a');
    await done(ask(why));
    await projector.passed('feed', await counting.count('a', 'c'), soon);
    const back = { kind: 'rollback', generation: 1, reason: 'it was right', operator: 'bob' } as const;
    expect(await done(ask(back))).toMatchObject({ state: 'switched', changed: 1 });
    expect(await times()).toEqual({ a: 2, b: 1, c: 1 });
    expect((await corrections()).map((each) => (each as { reason: string }).reason)).toEqual([why.reason, back.reason]);
    expect(await done(ask({ ...back, generation: 2 }))).toMatchObject({ state: 'switched', changed: 1 });
    expect(await times()).toEqual({ a: 2, b: 2, c: 1 });
  });

  test('that is cancelled leaves nothing behind', async () => {
    await mended('b', 'a');
    const { id } = await ask({ ...why, whenReady: 'ask' });
    await reaching(id, ['ready']);
    expect(await cancelRequest(counting.pool, schema, 'feed')).toBe(id);
    expect(await reaching(id, finished)).toMatchObject({ state: 'cancelled' });
    expect(await cancelRequest(counting.pool, schema, 'feed')).toBeUndefined();
    while ((await counting.generations()).length > 1) await sleep(20);
    expect(await times()).toEqual({ a: 1, b: 1 });
  });

  test('that is dropped afterwards cannot be gone back from', async () => {
    await mended('b', 'a');
    await done(ask(why));
    expect(await done(ask({ kind: 'drop', whenReady: 'drop' }))).toMatchObject({ state: 'dropped' });
    expect(await counting.generations()).toEqual([{ name: 'feed', version: 1, generation: 2, live: true }]);
    const { rows: tables } = await counting.pool.query(`SELECT tablename FROM pg_tables WHERE tablename ~ '^feed'`);
    expect(tables).toEqual([{ tablename: 'feed_v1_g2' }]);
  });

  test('comes with a new version, which meanwhile follows the rows of the one that has gone', async () => {
    const first = counting.run([feed()]);
    await first.passed('feed', await counting.count('b', 'a'), soon);
    await first.stop();
    const whole = feed({ ...twice, version: 2 });
    let isHeldUp = true;
    const next = counting.run([
      {
        ...whole,
        project: async (tx, table, batch) => {
          if (isHeldUp && table('feed').endsWith('_v2_g2')) throw Object.assign(new Error('later'), { code: '57P03' });
          await whole.project(tx, table, batch);
        },
      },
    ]);
    expect(await next.passed('feed', await counting.count('a'), soon)).toBe(true);
    expect(await times()).toEqual({ a: 2, b: 1 });
    isHeldUp = false;
    while ((await corrections()).length === 0) await sleep(20);
    expect(await corrections()).toEqual([{ name: 'b', reason: 'version 2 of feed', operator: 'upgrade' }]);
    expect(await next.passed('feed', await counting.count('b'), soon)).toBe(true);
    expect(await times()).toEqual({ a: 2, b: 4 });
  });

  test('of a version that makes other tables leaves the rows as they are, and says so', async () => {
    const first = counting.run([feed()]);
    await first.passed('feed', await counting.count('a'), soon);
    await first.stop();
    const whole = feed({ version: 2 });
    const wider = { ...whole, ddl: (table: Parameters<typeof whole.ddl>[0]) => [...whole.ddl(table), `ALTER TABLE ${table('feed')} ADD note text`] }; // prettier-ignore
    let isHeldUp = true;
    const next = counting.run([
      {
        ...wider,
        project: async (tx, table, batch) => {
          if (isHeldUp) throw Object.assign(new Error('later'), { code: '57P03' });
          await whole.project(tx, table, batch);
        },
      },
    ]);
    while (next.status()[0]?.state !== 'stalled') await sleep(10);
    expect(await next.passed('feed', await counting.count('a'), 500)).toBe(false);
    isHeldUp = false;
    expect(await next.passed('feed', await counting.count('a'), soon)).toBe(true);
    expect(await times()).toEqual({ a: 3 });
    expect(next.status()[0]?.state).toBe('following');
  });

  test('after which nobody has come back is not done again by the version that was left', async () => {
    const first = counting.run([feed()]);
    await first.passed('feed', await counting.count('b'), soon);
    const next = counting.run([feed({ ...twice, version: 2 })]);
    while ((await times())['b'] !== 2) await sleep(20);
    expect(await done(ask({ kind: 'rollback', generation: 1, ...why }))).toMatchObject({ state: 'switched' });
    await next.stop();
    const again = counting.run([feed({ ...twice, version: 2 })]);
    await sleep(1500);
    expect(again.status()[0]?.state).toBe('waiting');
    expect(await first.passed('feed', await counting.count('b'), soon)).toBe(true);
    expect(await times()).toEqual({ b: 2 });
  });
});
