import { databaseProbe } from './database-probe.ts';

describe('whether the database answers', () => {
  test('is told by its answer', async () => {
    const answers = [Promise.resolve(), Promise.reject(new Error('Connection terminated'))];
    const isUp = databaseProbe(() => answers.shift() ?? Promise.resolve());
    expect([await isUp(), await isUp(), await isUp()]).toEqual([true, false, true]);
  });

  test('is no when it keeps silent', async () => {
    const isUp = databaseProbe(() => new Promise(() => undefined), 5);
    expect(await isUp()).toBe(false);
  });

  test('is asked once for all who want to know at a time', async () => {
    let asked = 0;
    const isUp = databaseProbe(async () => {
      asked += 1;
    });
    expect(await Promise.all([isUp(), isUp(), isUp()])).toEqual([true, true, true]);
    expect(asked).toBe(1);
  });
});
