import type { Position, StreamName } from '@causeway/event-sourcing';
import { describeWithPostgres } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectionStatuses } from './lag.ts';
import { mendParked, parkingStream, type ParkingEvent } from './parking.ts';
import { eraseParking, parkedStreams } from './parkings.ts';
import { tableOf, type Generation, type Projection } from './projection.ts';
import { addRequest, finished, requestById } from './requests.ts';
import { openCounting, schema, tally, type Counting } from './testing/tally.ts';

const soon = 30_000;
const sick: StreamName = 'count-sick';

describeWithPostgres('a stream with an event that cannot be folded', () => {
  let counting: Counting;
  let projectCalls: number;
  beforeEach(async () => {
    counting = await openCounting();
    projectCalls = 0;
  });
  afterEach(() => counting.close());

  /** Takes no event of a name that begins with `poison`, unless it is able to. */
  const delicate = (able: () => boolean, change: Partial<Projection> = {}): Projection => {
    const whole = tally();
    return tally({
      ...change,
      project: async (tx, table, batch) => {
        projectCalls++;
        const poison = batch.some(({ data }) => (data as { name: string }).name.startsWith('poison'));
        if (poison && !able()) await tx.query(`SELECT 'secret narrative'::numeric`);
        await whole.project(tx, table, batch);
      },
    });
  };
  const told = async (): Promise<readonly ParkingEvent[]> => counting.store.readStream(parkingStream(sick));
  const mend = async (): Promise<Position> => {
    await mendParked(counting.store, { stream: sick, projection: 'tally', version: 1 });
    return counting.store.head();
  };
  const rows = async () => {
    const generation = `SELECT version, generation FROM ${schema}.projection WHERE live`;
    const [live] = (await counting.pool.query<Generation>(generation)).rows;
    const table = tableOf(schema, live as Generation)('tally');
    const sql = `SELECT name, times::int, updated_at::text AS at FROM ${table} ORDER BY updated_at, name`;
    return (await counting.pool.query<{ name: string; times: number; at: string }>(sql)).rows;
  };
  const asked = async (kind: 'rebuild' | 'verify') => {
    const { id } = await addRequest(counting.pool, schema, {
      name: 'tally',
      kind,
      whenReady: kind === 'rebuild' ? 'switch' : 'drop',
    });
    for (;;) {
      const request = await requestById(counting.pool, schema, id);
      if (request && finished.includes(request.state)) return request;
      await sleep(20);
    }
  };

  test('is parked, is told of once and without its data, and nobody else waits', async () => {
    const projector = counting.run([delicate(() => false)]);
    await counting.countIn(sick, 'a', 'poison', 'b');
    await counting.count('c');
    const position = await counting.countIn(sick, 'd');
    expect(await projector.passed('tally', position, soon)).toBe(true);
    expect(await counting.tallies()).toEqual({ a: 1, c: 1 });
    const reason = 'Counted cannot be folded: database error 22P02';
    const parked = [expect.objectContaining({ type: 'StreamParked' })];
    while ((await told()).length === 0) await sleep(10);
    expect(await projector.passed('tally', await counting.count('c'), soon)).toBe(true);
    expect(await told()).toEqual(parked);
    expect((await told())[0]?.data).toEqual({ projection: 'tally', version: 1, revision: 1, reason });
    expect(projector.status()).toEqual([expect.objectContaining({ state: 'following', parked: 1 })]);
    expect(await projectionStatuses(counting.pool, schema, counting.store, Date.now())).toEqual([
      expect.objectContaining({ state: 'live', parked: [{ stream: sick, reason, since: expect.any(String) }] }),
    ]);
    expect([await projector.holdsBack(sick), await projector.holdsBack('count-well')]).toEqual([true, false]);
  });

  test('is found among thousands of others by few tries', async () => {
    const names = Array.from({ length: 500 }, (_, i) => `n${i}`);
    for (let i = 0; i < 3; i++) await counting.count(...names);
    await counting.countIn(sick, 'poison');
    for (let i = 0; i < 3; i++) await counting.count(...names);
    const projector = counting.run([delicate(() => false)]);
    expect(await projector.passed('tally', await counting.store.head(), soon)).toBe(true);
    expect(projectCalls).toBeLessThan(40);
    expect((await counting.tallies())['n499']).toBe(6);
  });

  test('comes up with its mending, all of it at once and at the head; a rebuild agrees before and after', async () => {
    let able = false;
    const projector = counting.run([delicate(() => able)]);
    await counting.countIn(sick, 'a', 'poison', 'b');
    await counting.count('c');
    const held = await counting.countIn(sick, 'b', 'poison');
    await counting.count('c');
    expect(await projector.passed('tally', held, soon)).toBe(true);
    able = true;
    expect(await asked('verify')).toMatchObject({ state: 'equal' });

    expect(await projector.passed('tally', await mend(), soon)).toBe(true);
    const after = await rows();
    expect(after.map(({ name, times }) => [name, times])).toEqual([['a', 1], ['c', 2], ['b', 2], ['poison', 2]]); // prettier-ignore
    expect(after[2]?.at).toBe(after[3]?.at);
    await counting.countIn(sick, 'a');
    expect(await projector.passed('tally', await counting.count('c'), soon)).toBe(true);
    expect(await counting.tallies()).toEqual({ a: 2, b: 2, c: 3, poison: 2 });
    expect(await asked('verify')).toMatchObject({ state: 'equal' });
    const live = await rows();
    expect(await asked('rebuild')).toMatchObject({ state: 'switched' });
    expect(await rows()).toEqual(live);
    expect(projector.status()[0]?.parked).toBe(0);
  });

  test('that cannot be folded after its mending either is parked again, and others still do not wait', async () => {
    let able = false;
    const projector = counting.run([delicate(() => able)]);
    await counting.countIn(sick, 'poison');
    expect(await projector.passed('tally', await counting.countIn(sick, 'a'), soon)).toBe(true);
    while ((await told()).length === 0) await sleep(10);
    await mend();
    expect(await projector.passed('tally', await counting.count('c'), soon)).toBe(true);
    while ((await told()).length < 3) await sleep(10);
    expect((await told()).map(({ type }) => type)).toEqual(['StreamParked', 'StreamMended', 'StreamParked']);
    expect(await parkedStreams(counting.pool, schema)).toEqual([expect.objectContaining({ attempts: 2, from: 0 })]);
    expect(await counting.tallies()).toEqual({ c: 1 });
    able = true;
    expect(await projector.passed('tally', await mend(), soon)).toBe(true);
    expect(await counting.tallies()).toEqual({ a: 1, c: 1, poison: 1 });
    // The first mend brought nothing up, and must not in a rebuild that could.
    expect(await asked('verify')).toMatchObject({ state: 'equal' });
  });

  test('may be parked once more later, and every rebuild holds back the same', async () => {
    let able = false;
    const projector = counting.run([delicate(() => able)]);
    for (const round of ['a', 'b', 'c']) {
      able = false;
      await counting.countIn(sick, round, 'poison', round);
      await counting.count('well');
      expect(await projector.passed('tally', await counting.countIn(sick, 'after'), soon)).toBe(true);
      able = true;
      expect(await projector.passed('tally', await mend(), soon)).toBe(true);
    }
    expect(await counting.tallies()).toEqual({ a: 2, b: 2, c: 2, after: 3, poison: 3, well: 3 });
    expect(await asked('verify')).toMatchObject({ state: 'equal' });
  });

  test('is mended by the next version, after its switch, and not behind the back of who polls', async () => {
    const first = counting.run([delicate(() => false)]);
    await counting.countIn(sick, 'a', 'poison', 'b');
    expect(await first.passed('tally', await counting.count('c'), soon)).toBe(true);
    await first.stop();
    const second = counting.run([tally({ version: 2 })]);
    while ((await told()).length < 2) await sleep(10);
    expect(await second.passed('tally', await counting.count('c'), soon)).toBe(true);
    expect((await told()).map(({ type }) => type)).toEqual(['StreamParked', 'StreamMended']);
    const shown = (await rows()).filter(({ name }) => name !== 'c');
    expect(shown.map(({ name }) => name)).toEqual(['a', 'b', 'poison']);
    expect(shown[1]?.at).toBe(shown[2]?.at);
    expect(await asked('verify')).toMatchObject({ state: 'equal' });
  });

  test('of which the next version can take less is parked by it, and the version is switched to all the same', async () => {
    const first = counting.run([tally()]);
    await counting.countIn(sick, 'a', 'poison', 'b');
    expect(await first.passed('tally', await counting.count('c'), soon)).toBe(true);
    await first.stop();
    const second = counting.run([delicate(() => false, { version: 2 })]);
    const next = '"version":2,"generation":2,"live":true';
    while (!(await counting.generations()).some((of) => JSON.stringify(of).includes(next))) await sleep(10);
    expect(await second.passed('tally', await counting.count('c'), soon)).toBe(true);
    expect(await counting.tallies()).toEqual({ a: 1, c: 2 });
    expect((await told()).map(({ type }) => type)).toEqual(['StreamParked']);
  });

  test('that a rebuild cannot take but the live rows hold fails the rebuild, and the live ones go on', async () => {
    const whole = tally();
    const half = tally({
      project: async (tx, table, batch) => {
        if (table('tally').endsWith('_g2')) throw new TypeError('not in this generation');
        await whole.project(tx, table, batch);
      },
    });
    const projector = counting.run([half]);
    await projector.passed('tally', await counting.countIn(sick, 'a'), soon);
    const detail = expect.stringContaining('count-sick (Counted cannot be folded: TypeError)') as string;
    expect(await asked('rebuild')).toMatchObject({ state: 'failed', detail });
    expect(await projector.passed('tally', await counting.count('a'), soon)).toBe(true);
    expect(await counting.tallies()).toEqual({ a: 2 });
    expect(await told()).toEqual([]);
    expect(await parkedStreams(counting.pool, schema)).toEqual([]);
  });

  test('goes from the list with its erasure', async () => {
    const projector = counting.run([delicate(() => false)]);
    expect(await projector.passed('tally', await counting.countIn(sick, 'poison'), soon)).toBe(true);
    while ((await told()).length === 0) await sleep(10);
    await counting.store.eraseStream(sick);
    await eraseParking(counting, schema, sick);
    expect(await told()).toEqual([]);
    expect(await parkedStreams(counting.pool, schema)).toEqual([]);
    expect(await projector.passed('tally', await counting.count('a', 'b'), soon)).toBe(true);
    while (projector.status()[0]?.parked !== 0) await sleep(10);
    expect(await asked('verify')).toMatchObject({ state: 'equal' });
  });
});
