import fc from 'fast-check';
import { partitionWindow } from './partition-window.ts';

test('the position is that of the first message that is not done, in whatever order they end', () => {
  const window = partitionWindow();
  expect(window.position()).toBeUndefined();
  for (const offset of [5n, 6n, 9n]) expect(window.take(offset, 1)).toBe(true);
  expect(window.position()).toBe(5n);
  window.done(6n);
  expect(window.position()).toBe(5n);
  window.done(5n);
  expect(window.position()).toBe(9n);
  window.done(9n);
  expect(window.position()).toBe(10n);
});

test('what was taken before is not taken again, done or not', () => {
  const window = partitionWindow();
  window.take(5n, 1);
  window.take(6n, 1);
  window.done(5n);
  expect([5n, 6n, 7n].map((offset) => window.take(offset, 1))).toEqual([false, false, true]);
});

test('is full by number or by bytes, and has room again well below', () => {
  const byNumber = partitionWindow();
  for (let n = 0n; n < 1000n; n++) byNumber.take(n, 1);
  expect([byNumber.isFull(), byNumber.hasRoom()]).toEqual([true, false]);
  byNumber.done(0n);
  expect([byNumber.isFull(), byNumber.hasRoom()]).toEqual([false, false]);
  for (let n = 1n; n <= 500n; n++) byNumber.done(n);
  expect(byNumber.hasRoom()).toBe(true);

  const byBytes = partitionWindow();
  byBytes.take(0n, 8 * 1024 * 1024);
  expect([byBytes.isFull(), byBytes.hasRoom()]).toEqual([true, false]);
  byBytes.done(0n);
  expect(byBytes.hasRoom()).toBe(true);
});

test('no position ever passes over a message that is not done', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.array(fc.nat(59), { maxLength: 80 }), (count, ends) => {
      const window = partitionWindow();
      const open = new Set(Array.from({ length: count }, (_, n) => BigInt(n)));
      for (const offset of open) window.take(offset, 1);
      for (const end of ends) {
        window.done(BigInt(end));
        open.delete(BigInt(end));
        expect(window.position()).toBe([...open][0] ?? BigInt(count));
      }
    }),
  );
});
