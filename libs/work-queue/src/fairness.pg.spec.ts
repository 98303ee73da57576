import { eventually } from '@causeway/messaging/testing';
import { describeWithPostgres } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { queueRig } from './testing/rig.ts';
import type { WorkItem } from './work-item.ts';
import type { Claim } from './workers.ts';

type Item = Partial<WorkItem> & { id: string };

describeWithPostgres('shares of a work queue', () => {
  const { put, start } = queueRig();
  const many = (count: number, prefix: string, item: Partial<WorkItem>): Item[] =>
    Array.from({ length: count }, (_, n) => ({ dueAt: '2026-01-01T00:00:00Z', ...item, id: `${prefix}${n}` }));
  const slots = 8;

  /** How many others are begun from when an item of `other` was put in until its turn comes; ten times, beside a backlog. */
  const passedBy = async (backlog: Item[], other: Partial<WorkItem>): Promise<number[]> => {
    const begun: string[] = [];
    await put(...backlog);
    const workers = start(async ({ id }) => (begun.push(id), await sleep(100), 'done'), slots);
    await eventually(() => expect(begun.length).toBeGreaterThan(0));
    const passed: number[] = [];
    for (let n = 0; n < 10; n++) {
      await put({ ...other, id: `other${n}` });
      const before = begun.length;
      workers.wake();
      await eventually(() => expect(begun).toContain(`other${n}`));
      passed.push(begun.indexOf(`other${n}`) - before);
    }
    await workers.stop();
    expect(begun.length).toBeLessThan(backlog.length);
    return passed;
  };
  /** What was about to be claimed, and what is claimed with it. */
  const passedMax = 2 * slots;

  test('of 1,000 due items of one organization none comes before another’s that is due later', async () => {
    const passed = await passedBy(many(1000, 'a', { organization: 'a' }), { organization: 'b' });
    expect(Math.max(...passed)).toBeLessThanOrEqual(passedMax);
  });

  test('so it is with those of one institution, whoever’s they are, and another institution', async () => {
    const crowd = Array.from({ length: 100 }, (_, n) =>
      many(10, `${n}-`, { organization: `o${n}`, institution: 'slow' }),
    ).flat();
    const passed = await passedBy(crowd, { organization: 'x', institution: 'swift' });
    expect(Math.max(...passed)).toBeLessThanOrEqual(passedMax);
  });

  test('and with those of test and an item of live', async () => {
    const passed = await passedBy(many(1000, 't', { environment: 'test' }), { environment: 'live' });
    expect(Math.max(...passed)).toBeLessThanOrEqual(passedMax);
  });

  test('one organization holds three quarters of the slots, and takes turns with others for them', async () => {
    const inHand: Claim[] = [];
    let release = (): void => undefined;
    let released = new Promise<void>((resolve) => (release = resolve));
    const held = () =>
      Object.fromEntries(['a', 'b'].map((o) => [o, inHand.filter((c) => c.organization === o).length]));
    await put(...many(500, 'a', { organization: 'a' }));
    const workers = start(async (claim) => {
      inHand.push(claim);
      await released;
      inHand.splice(inHand.indexOf(claim), 1);
      return 'done';
    }, 16);
    await eventually(() => expect(held()).toEqual({ a: 12, b: 0 }));
    await put(...many(500, 'b', { organization: 'b', dueAt: '2026-02-01T00:00:00Z' }));
    workers.wake();
    await eventually(() => expect(held()).toEqual({ a: 12, b: 4 }));
    const first = release;
    released = new Promise<void>((resolve) => (release = resolve));
    first();
    await eventually(() => expect(held()).toEqual({ a: 8, b: 8 }));
    release();
  });

  test.each([
    ['hangs', 600, () => new Promise<never>(() => undefined)],
    ['has more to do than its share', 1000, () => sleep(50)],
  ])('an institution that %s holds up no other of the same organizations', async (_, waiting, ask) => {
    const done: string[] = [];
    for (const organization of ['a', 'b']) {
      await put(...many(waiting / 2, `x${organization}`, { organization, institution: 'x' }));
    }
    await put(...many(5, 'y', { institution: 'y', dueAt: '2026-02-01T00:00:00Z' }), { id: 'of none' });
    start(async ({ id, institution }) => {
      if (institution === 'x') await ask();
      done.push(id);
      return 'done';
    }, 16);
    const others = () => done.filter((id) => !id.startsWith('x')).sort();
    await eventually(() => expect(others()).toEqual(['of none', 'y0', 'y1', 'y2', 'y3', 'y4']));
    expect(done.length).toBeLessThan(waiting / 2);
  });

  test('an organization with few items is found behind thousands of older ones of many', async () => {
    const order: string[] = [];
    const crowd = Array.from({ length: 50 }, (_, n) => many(100, `${n}-`, { organization: `o${n}` })).flat();
    await put(...crowd, { id: 'late', organization: 'z' });
    start(async ({ id }) => (order.push(id), 'done'), 64);
    await eventually(() => expect(order).toContain('late'));
    expect(order.indexOf('late')).toBeLessThan(200);
  });
});
