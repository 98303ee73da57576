import { gathering } from './gathering.ts';
import { pause } from './pause.ts';

test('what comes while a call is under way goes into the next; other keys do not wait', async () => {
  const calls: string[] = [];
  const ask = gathering(async (items: readonly number[], key) => {
    calls.push(`${key} ${items.join()}`);
    await pause(5);
    return items.length;
  });
  const first = ask([1], 'a');
  await pause(1);
  await expect(Promise.all([first, ask([2, 3], 'a'), ask([4], 'a'), ask([5], 'b')])).resolves.toEqual([1, 3, 3, 1]);
  await expect(ask([6], 'a')).resolves.toBe(1);
  expect(calls).toEqual(['a 1', 'b 5', 'a 2,3,4', 'a 6']);
});

test('a call that fails fails for those who are in it, and for nobody after', async () => {
  const ask = gathering(async ([item]: readonly string[]) => {
    if (item === 'bad') throw new Error('no');
    return item;
  });
  const bad = ask(['bad']);
  await pause(0);
  await expect(bad).rejects.toThrow('no');
  await expect(ask(['good'])).resolves.toBe('good');
});
