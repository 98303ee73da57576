import { eventually } from '@causeway/messaging/testing';
import { describeWithPostgres, withRoom } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { queueRig, schema } from './testing/rig.ts';
import { dropWork } from './work-item.ts';
import type { Claim } from './workers.ts';

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

describeWithPostgres('a work queue', () => {
  const { warned, pool, put, start, rows, statements } = queueRig();
  const untilAborted = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

  test('what is due is worked once, by whichever process, and is gone', async () => {
    const done: string[] = [];
    const work = async ({ id }: Claim) => (await sleep(5), done.push(id), 'done' as const);
    await put(...Array.from({ length: 100 }, (_, n) => ({ id: `i${n}` })));
    for (let n = 0; n < 3; n++) start(work);
    await eventually(async () => expect(await rows()).toEqual([]));
    expect(done).toHaveLength(100);
    expect(new Set(done).size).toBe(100);
  });

  test('an item is worked at its time and not before, also again', async () => {
    const times: number[] = [];
    const from = performance.now();
    await put({ id: 'later', dueAt: inMs(300) });
    start(async () => (times.push(performance.now() - from), times.length < 2 ? { againInMs: 200 } : 'done'));
    await eventually(() => expect(times).toHaveLength(2));
    expect(times[0]).toBeGreaterThanOrEqual(290);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(190);
    await eventually(async () => expect(await rows()).toEqual([]));
  });

  test('an item put in while it is claimed is worked again after it', async () => {
    let begun = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const workers = start(async () => ((begun += 1), await released, 'done'));
    await put({ id: 'twice' });
    workers.wake();
    await eventually(() => expect(begun).toBe(1));
    await put({ id: 'twice' }, { id: 'twice' });
    await sleep(50);
    expect(begun).toBe(1);
    release();
    await eventually(() => expect(begun).toBe(2));
    await eventually(async () => expect(await rows()).toEqual([]));
  });

  test('no put is lost, however it races with the end of the work', async () => {
    const seen = new Map<string, number>();
    const wanted = new Map<string, number>();
    const workers = start(async ({ id }) => (seen.set(id, wanted.get(id) ?? 0), 'done'), 4);
    for (let round = 1; round <= 200; round++) {
      const id = `r${round % 3}`;
      wanted.set(id, round);
      await put({ id });
      workers.wake();
    }
    await eventually(async () => expect(await rows()).toEqual([]));
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(wanted));
  });

  test('what throws rests for longer each time, says why, and holds up nobody', async () => {
    const tried: number[] = [];
    const done: string[] = [];
    await put({ id: 'bad' });
    start(async ({ id, attempts }) => {
      if (id === 'bad' && tried.push(attempts) < 3) throw new Error('the bank is down');
      done.push(id);
      return 'done';
    }, 1);
    await eventually(() => expect(tried).toEqual([0]));
    await put({ id: 'good' });
    await eventually(() => expect(done).toEqual(['good']));
    await eventually(() => expect(tried).toEqual([0, 1, 2]));
    expect(warned.map(({ level, kind, id, err }) => [level, kind, id, (err as Error).message])).toEqual(
      Array.from({ length: 2 }, () => [40, 'job', 'bad', 'the bank is down']),
    );
  });

  test('one that hangs holds its own slot only', async () => {
    const done: string[] = [];
    await put({ id: 'hangs', dueAt: inMs(-1000) });
    start(async ({ id }, signal) => (id === 'hangs' ? untilAborted(signal) : (done.push(id), 'done')), 2);
    for (let n = 0; n < 20; n++) await put({ id: `i${n}`, organization: 'b' });
    await eventually(() => expect(done).toHaveLength(20));
  });

  test('a claim in hand is renewed; one of a process that went away is taken by another within 5 s', async () => {
    const begun: string[] = [];
    const first = start(async (_, signal) => (begun.push('first'), untilAborted(signal)));
    await put({ id: 'kept' });
    first.wake();
    await eventually(() => expect(begun).toEqual(['first']));
    start(async () => (begun.push('second'), 'done'));
    await sleep(5500);
    expect(begun).toEqual(['first']);
    // As if its process had been killed: nobody renews for it.
    await pool().query(`UPDATE ${schema}.work_item SET holder = 'gone'`);
    await eventually(() => expect(begun).toHaveLength(2));
  });

  test('work whose claim was lost, or whose item was dropped, learns of it', async () => {
    const lost: string[] = [];
    const workers = start(async ({ id }, signal) => untilAborted(signal).catch(() => (lost.push(id), 'done')));
    await put({ id: 'dropped' }, { id: 'taken' });
    workers.wake();
    await eventually(async () => expect(await rows()).toMatchObject([{ claimed: true }, { claimed: true }]));
    await dropWork(pool(), schema, 'job', ['dropped']);
    await pool().query(`UPDATE ${schema}.work_item SET epoch = epoch + 1 WHERE id = 'taken'`);
    await eventually(() => expect([...lost].sort()).toEqual(['dropped', 'taken']));
    // Its end is not written over the other's claim.
    expect(await rows()).toMatchObject([{ id: 'taken', claimed: true }]);
  });

  test('a claim dated into the future by a clock that was set back since ends in its time', async () => {
    const begun: string[] = [];
    await put({ id: 'ahead' });
    await pool().query(
      `UPDATE ${schema}.work_item SET holder = 'gone', epoch = 1, due_at = clock_timestamp() + interval '1 hour'`,
    );
    start(async ({ id }) => (begun.push(id), 'done'));
    await eventually(() => expect(begun).toEqual(['ahead']));
  });

  test('stopping lets go at once, and another goes on without waiting for the claim to run out', async () => {
    const begun: string[] = [];
    await put({ id: 'a' }, { id: 'deaf' });
    const first = start(
      async ({ id }, signal) => (
        begun.push(id),
        id === 'deaf' ? new Promise<never>(() => undefined) : untilAborted(signal)
      ),
    );
    await eventually(() => expect(begun).toHaveLength(2));
    const from = performance.now();
    await first.stop();
    expect(performance.now() - from).toBeLessThan(withRoom(3500));
    expect(await rows()).toEqual([
      { id: 'a', claimed: false, attempts: 0, due: true },
      { id: 'deaf', claimed: false, attempts: 0, due: true },
    ]);
  });

  test('10,000 items that wait and nothing that is due cost a statement a second', async () => {
    await put(...Array.from({ length: 10_000 }, (_, n) => ({ id: `w${n}`, dueAt: inMs(3_600_000) })));
    const done: string[] = [];
    const workers = start(async ({ id }) => (done.push(id), 'done'));
    await sleep(500);
    const [before, since] = [statements(), performance.now()];
    await sleep(3000);
    expect(statements() - before).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - since) / 1000));
    await put(...Array.from({ length: 20 }, (_, n) => ({ id: `d${n}`, institution: `bank ${n % 4}` })));
    workers.wake();
    await eventually(() => expect(done).toHaveLength(20));
  });
});
