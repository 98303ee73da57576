import { coalesced } from './coalesced.ts';

/** Work that is done when the test says so. */
const controlled = () => {
  const runs: { finish: (value: number) => void; fail: (error: Error) => void }[] = [];
  const work = (): Promise<number> => new Promise((finish, fail) => runs.push({ finish, fail }));
  return { runs, work };
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('coalesced work', () => {
  test('runs one at a time; who calls meanwhile shares the run that begins after', async () => {
    const { runs, work } = controlled();
    const call = coalesced(work);
    const first = call();
    const later = [call(), call(), call()];
    await turn();
    expect(runs).toHaveLength(1);
    runs[0]?.finish(1);
    expect(await first).toBe(1);
    await turn();
    expect(runs).toHaveLength(2);
    const last = call();
    runs[1]?.finish(2);
    expect(await Promise.all(later)).toEqual([2, 2, 2]);
    await turn();
    runs[2]?.finish(3);
    expect(await last).toBe(3);
    expect(runs).toHaveLength(3);
  });

  test('that fails fails for those who shared it, and for nobody after', async () => {
    const { runs, work } = controlled();
    const call = coalesced(work);
    const first = call();
    const second = call();
    runs[0]?.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await turn();
    runs[1]?.finish(2);
    expect(await second).toBe(2);
  });
});
