import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, inOrderByKey } from './in-order.ts';

test('what has the same key runs one after the other; what has another key overtakes', async () => {
  const inOrder = inOrderByKey();
  const log: string[] = [];
  const work = (name: string, ms: number) => async () => {
    log.push(`${name} starts`);
    await sleep(ms);
    log.push(`${name} ends`);
  };
  await Promise.all([inOrder('a', work('a1', 30)), inOrder('a', work('a2', 0)), inOrder('b', work('b1', 0))]);
  expect(log).toEqual(['a1 starts', 'b1 starts', 'b1 ends', 'a1 ends', 'a2 starts', 'a2 ends']);
});

test('a failure is told to its own caller and holds up nothing', async () => {
  const inOrder = inOrderByKey();
  const failed = inOrder('a', () => Promise.reject(new Error('no')));
  const next = inOrder('a', () => Promise.resolve('next'));
  await expect(failed).rejects.toThrow('no');
  await expect(next).resolves.toBe('next');
});

test('no more than the given number runs at once, failures included, and all get their turn in order', async () => {
  const limited = atMost(3);
  const finished: number[] = [];
  let [running, most] = [0, 0];
  const work = (n: number) => async () => {
    most = Math.max(most, ++running);
    await sleep(2);
    running -= 1;
    finished.push(n);
    if (n % 5 === 0) throw new Error('no');
  };
  await Promise.allSettled(Array.from({ length: 20 }, (_, n) => limited(work(n))));
  expect(most).toBe(3);
  expect(finished).toEqual(Array.from({ length: 20 }, (_, n) => n));
});
