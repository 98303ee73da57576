import type { Reads } from '../edge/reads.ts';
import { databaseProbe } from './database-probe.ts';

const readsThat = (answer: () => Promise<undefined>): Reads => ({ rows: async () => [], row: answer });

describe('whether the database answers', () => {
  test('is told by its answer', async () => {
    const answers = [Promise.resolve(undefined), Promise.reject(new Error('Connection terminated'))];
    const isUp = databaseProbe(readsThat(() => answers.shift() ?? Promise.resolve(undefined)));
    expect([await isUp(), await isUp(), await isUp()]).toEqual([true, false, true]);
  });

  test('is no when it keeps silent', async () => {
    const isUp = databaseProbe(
      readsThat(() => new Promise(() => undefined)),
      5,
    );
    expect(await isUp()).toBe(false);
  });

  test('is asked once for all who want to know at a time', async () => {
    let asked = 0;
    const isUp = databaseProbe(
      readsThat(async () => {
        asked += 1;
        return undefined;
      }),
    );
    expect(await Promise.all([isUp(), isUp(), isUp()])).toEqual([true, true, true]);
    expect(asked).toBe(1);
  });
});
