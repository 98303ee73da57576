import { setTimeout as sleep } from 'node:timers/promises';
import { expiring } from './expiring.ts';

/** Counts how often each key was looked for. */
const counting = (): { find: (key: string) => Promise<string>; found: string[] } => {
  const found: string[] = [];
  const find = async (key: string): Promise<string> => {
    const count = found.push(key);
    await sleep(1);
    if (key === 'bad') throw new Error('away');
    return `${key} ${count}`;
  };
  return { find, found };
};

describe('what is remembered for a time', () => {
  test('is looked for once, also by many at once', async () => {
    const { find, found } = counting();
    const { get } = expiring(find, 1000);
    expect(await Promise.all([get('a'), get('a'), get('b'), get('a')])).toEqual(['a 1', 'a 1', 'b 2', 'a 1']);
    expect(await get('a')).toBe('a 1');
    expect(found).toEqual(['a', 'b']);
  });

  test('is looked for again when the time is over, or when it was forgotten', async () => {
    const { find } = counting();
    const { get, forget } = expiring(find, 30);
    expect(await get('a')).toBe('a 1');
    forget('a');
    expect(await get('a')).toBe('a 2');
    await sleep(40);
    expect(await get('a')).toBe('a 3');
  });

  test('is not what was being looked for when it was forgotten', async () => {
    const { find } = counting();
    const { get, forget } = expiring(find, 1000);
    const early = get('a');
    forget('a');
    expect(await get('a')).toBe('a 2');
    expect(await early).toBe('a 1');
    expect(await get('a')).toBe('a 2');
  });

  test('is never a failure', async () => {
    const { find, found } = counting();
    const { get } = expiring(find, 1000);
    await expect(get('bad')).rejects.toThrow('away');
    await expect(get('bad')).rejects.toThrow('away');
    expect(found).toEqual(['bad', 'bad']);
  });
});
