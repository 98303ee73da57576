import { pause, within } from './pause.ts';

test('a pause ends with its signal, and does not throw', async () => {
  const began = performance.now();
  await pause(10_000, AbortSignal.timeout(10));
  await pause(10_000, AbortSignal.abort());
  expect(performance.now() - began).toBeLessThan(9000);
});

test.each([
  ['in time', 10_000, Promise.resolve('done'), { value: 'done' }],
  ['in time, with nothing', 10_000, Promise.resolve(undefined), { value: undefined }],
  ['too late', 5, new Promise(() => undefined), undefined],
])('work that ends %s', async (_, ms, work, expected) => {
  await expect(within<unknown>(ms, work)).resolves.toEqual(expected);
});

test('work that fails', async () => {
  await expect(within(10_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
});
