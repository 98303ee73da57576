import { timestampOf, type EventStore, type Position, type Sequenced } from '@causeway/event-sourcing';
import { describeWithPostgres } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { v5 as uuidOf } from 'uuid';
import type { Correction, Difference, Projection } from './projection.ts';
import { addRequest, answerRequest, finished, requestById, type Asked, type ProjectionRequest } from './requests.ts';
import { rowProjection } from './row-projection.ts';
import { lastVerifications } from './verifications.ts';
import { openCounting, schema, tally, type Counted, type Counting, type Tally } from './testing/tally.ts';

const soon = 30_000;

type Corrected = { type: 'TallyCorrected'; data: { name: string } };
const metadata = { correlationId: 'c', causationId: 'c', organization: null, environment: null };

const record = async (store: EventStore, differences: readonly Difference[], { id }: Correction): Promise<Position> => {
  const events = differences.map((each): Corrected & { id: string } => ({
    ...{ id: uuidOf(each.id, id), type: 'TallyCorrected' },
    data: { name: each.id },
  }));
  await store.append({ stream: `correction-${id}`, expected: 'no-stream', events, metadata, dataKey: null });
  return store.head();
};

/** One whose rows a feed reads, by the time of their change. A name that was taken away has been counted 0 times. */
const fed = (record: NonNullable<Projection['correct']>): Projection => ({
  ...rowProjection<Tally, Counted | Corrected>({
    name: 'tally',
    version: 1,
    table: 'tally',
    columns: { name: 'text', times: 'numeric', updatedAt: 'timestamptz' },
    key: 'name',
    keysOf: ({ data }) => [data.name],
    apply: (row, { type, data, recordedAt }) => {
      const times = Number(row?.times ?? 0) + (type === 'Counted' ? 1 : 0);
      return { name: data.name, times: String(times), updatedAt: timestampOf(recordedAt) };
    },
    views: tally().views,
  }),
  correct: record,
});

describeWithPostgres('a verification', () => {
  let counting: Counting;
  beforeEach(async () => {
    counting = await openCounting();
  });
  afterEach(() => counting.close());

  const ask = (asked: Partial<Asked> = {}): Promise<ProjectionRequest> =>
    addRequest(counting.pool, schema, { name: 'tally', kind: 'verify', whenReady: 'drop', ...asked });
  const mending = { whenReady: 'switch', reason: 'a slip', operator: 'ada' } as const;

  const reaching = async ({ id }: ProjectionRequest, states: readonly string[]): Promise<ProjectionRequest> => {
    for (;;) {
      const request = await requestById(counting.pool, schema, id);
      if (request !== undefined && states.includes(request.state)) return request;
      await sleep(20);
    }
  };
  const done = (request: ProjectionRequest) => reaching(request, finished);

  const correct: NonNullable<Projection['correct']> = ({ store }, differences, by) => record(store, differences, by);

  const running = async (projection: Projection, ...names: string[]) => {
    const projector = counting.run([projection]);
    await projector.passed('tally', await counting.count(...names), soon);
    return projector;
  };
  /** Behind everybody's back: one row is another, one is gone, and one was never counted. */
  const tamper = async (): Promise<void> => {
    await counting.pool.query(`UPDATE ${schema}.tally_v1_g1 SET times = 7 WHERE name = 'a'`);
    await counting.pool.query(`DELETE FROM ${schema}.tally_v1_g1 WHERE name = 'b'`);
    await counting.pool.query(`INSERT INTO ${schema}.tally_v1_g1 VALUES ('x', 9, '2020-01-01')`);
  };
  const found = { added: 1, changed: 1, removed: 1 };

  type Row = Readonly<{ name: string; times: string; at: string }>;
  const rows = async (after = ''): Promise<readonly Row[]> => {
    const sql = `SELECT name, times::text, updated_at::text AS at FROM ${schema}.tally_v1_g1
                  WHERE updated_at::text > $1 ORDER BY updated_at`;
    return (await counting.pool.query<Row>(sql, [after])).rows;
  };

  test('counts what is not as the events say, and changes nothing', async () => {
    await running(fed(correct), 'a', 'b', 'c');
    await tamper();
    const before = await rows();
    expect(await done(await ask())).toMatchObject({ state: 'different', events: 3, ...found });
    expect(await rows()).toEqual(before);
  });

  test('of a part is refused where the events of the part cannot be told, and is not said to be equal', async () => {
    await running(fed(correct), 'a');
    const refused = await done(await ask({ scope: { of: 'account', id: 'a' } }));
    expect(refused).toMatchObject({ state: 'failed', detail: 'it is verified as a whole only' });
  });

  test('that corrects shows what the events say, at the head of the feed, and moves nothing else', async () => {
    const projector = await running(fed(correct), 'a', 'b', 'c', 'd');
    const before = await rows();
    await tamper();
    expect(await done(await ask(mending))).toMatchObject({ state: 'different', ...found });
    expect(await counting.tallies()).toEqual({ a: 1, b: 1, c: 1, d: 1, x: 0 });
    const moved = await rows(before.at(-1)?.at);
    expect(moved.map(({ name }) => name).sort()).toEqual(['a', 'b', 'x']);
    expect((await rows()).filter(({ name }) => 'cd'.includes(name))).toEqual(before.slice(2));
    expect(await done(await ask())).toMatchObject({ state: 'equal', added: 0, changed: 0, removed: 0 });
    await projector.passed('tally', await counting.count('a'), soon);
    expect(await counting.tallies()).toMatchObject({ a: 2 });
  });

  test('that corrects while events come in brings all of it to who polls by the time of change', async () => {
    const projector = await running(fed(correct), ...Array.from({ length: 50 }, (_, n) => `n${n}`));
    await counting.pool.query(`UPDATE ${schema}.tally_v1_g1 SET times = times + 100 WHERE name LIKE 'n1%'`);
    const replica = new Map<string, string>();
    let cursor = '';
    const poll = async (): Promise<void> => {
      for (const { name, times, at } of await rows(cursor)) {
        replica.set(name, times);
        cursor = at;
      }
    };
    await poll();
    const outcome = done(await ask(mending));
    for (let n = 0; !(await Promise.race([outcome.then(() => true), sleep(1, false)])); n++) {
      await counting.count(`n${n % 50}`, `later${n}`);
      await poll();
    }
    expect(await outcome).toMatchObject({ state: 'different', changed: 11 });
    await projector.passed('tally', await counting.store.head(), soon);
    await poll();
    expect(Object.fromEntries(replica)).toEqual(Object.fromEntries((await rows()).map((row) => [row.name, row.times])));
    expect(await done(await ask())).toMatchObject({ state: 'equal' });
  });

  test('that was cut off after it recorded what is to be corrected goes on, and records it once', async () => {
    let calls = 0;
    const cut: typeof correct = async (between, differences, by) => {
      const position = await correct(between, differences, by);
      if (++calls === 1) throw Object.assign(new Error('cut off'), { code: '57P01' });
      return position;
    };
    await running(fed(cut), 'a', 'b');
    await tamper();
    const request = await ask(mending);
    while (calls === 0) await sleep(10);
    await counting.count('a');
    expect(await done(request)).toMatchObject({ state: 'different', ...found });
    expect(calls).toBe(2);
    const { events } = await counting.store.readAll(0 as Position, 100);
    expect(events.filter(({ type }) => type === 'TallyCorrected')).toHaveLength(3);
    const projector = counting.run([fed(correct)]);
    await projector.passed('tally', await counting.store.head(), soon);
    expect(await counting.tallies()).toEqual({ a: 2, b: 1, x: 0 });
  });

  test('parks what cannot be folded on the way, and mends all the same', async () => {
    const whole = fed(async (between, differences, by) => {
      await counting.countIn('poison-1', 'poison');
      return correct(between, differences, by);
    });
    const sick: Projection = {
      ...whole,
      project: async (tx, table, batch) => {
        if (batch.some((event) => (event as Sequenced<Counted>).data.name === 'poison')) throw new Error('no');
        await whole.project(tx, table, batch);
      },
    };
    await running(sick, 'a', 'b');
    await tamper();
    expect(await done(await ask(mending))).toMatchObject({ state: 'different', ...found });
    expect(await counting.tallies()).toEqual({ a: 1, b: 1, x: 0 });
  });

  test('needs a reason to correct, and asks who is there to be asked', async () => {
    await running(fed(correct), 'a', 'b');
    await tamper();
    const without = await done(await ask({ whenReady: 'switch' }));
    expect(without).toMatchObject({ state: 'failed', detail: 'rows differ: a reason is needed' });
    const request = await ask({ ...mending, whenReady: 'ask' });
    expect(await reaching(request, ['ready'])).toMatchObject(found);
    await answerRequest(counting.pool, schema, { id: request.id, whenReady: 'drop' });
    expect(await done(request)).toMatchObject({ state: 'different' });
    expect(await counting.tallies()).toMatchObject({ a: 7 });
  });

  test('on a schedule takes one read model after the other, tells what it found, and corrects nothing', async () => {
    const projector = counting.run([tally(), tally({}, 'tally2')]);
    await projector.passed('tally', await counting.count('a', 'b'), soon);
    await tamper();
    await projector.stop();
    const lines: object[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line) as object) });
    counting.run([tally(), tally({}, 'tally2')], { verifyEveryMs: 200, log });
    const open = `SELECT name FROM ${schema}.projection_request WHERE state <> ALL ($1)`;
    let most = 0;
    while ((await lastVerifications(counting.pool, schema)).length < 2) {
      most = Math.max(most, (await counting.pool.query(open, [finished])).rows.length);
      await sleep(5);
    }
    expect(most).toBe(1);
    const verified = await lastVerifications(counting.pool, schema);
    expect([...verified].sort((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject([
      { name: 'tally', outcome: 'different', differing: 3, askedAt: expect.closeTo(Date.now() / 1000, -2) },
      { name: 'tally2', outcome: 'equal', differing: 0 },
    ]);
    expect(lines).toContainEqual(
      expect.objectContaining({ projection: 'tally', ...found, msg: 'rows are not what the events say' }),
    );
    expect(await counting.tallies()).toMatchObject({ a: 7, x: 9 });
  });

  test('of rows that no feed reads corrects them as they are', async () => {
    await running(tally(), 'a', 'b');
    await tamper();
    expect(await done(await ask(mending))).toMatchObject({ state: 'different', ...found });
    expect(await counting.tallies()).toEqual({ a: 1, b: 1 });
  });
});
