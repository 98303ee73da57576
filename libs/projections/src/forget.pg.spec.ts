import { describeWithPostgres } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgetRows } from './forget.ts';
import { addRequest, finished, requestById } from './requests.ts';
import { openCounting, schema, tally, type Counting } from './testing/tally.ts';

describeWithPostgres('rows that a projection forgets', () => {
  let counting: Counting;
  beforeEach(async () => {
    counting = await openCounting();
  });
  afterEach(() => counting.close());

  const ask = async (kind: 'rebuild' | 'verify') => {
    const { id } = await addRequest(counting.pool, schema, { name: 'tally', kind, whenReady: 'switch' });
    for (;;) {
      const request = await requestById(counting.pool, schema, id);
      if (request !== undefined && finished.includes(request.state)) return request.state;
      await sleep(20);
    }
  };

  test('are deleted, many at a time; a verification is equal still, and a rebuild has them until the next time', async () => {
    const forgetting = tally({ forgets: () => ({ tally: `r.name LIKE 'old %'` }) });
    const projector = counting.run([forgetting]);
    const names = Array.from({ length: 2500 }, (_, n) => `old ${n}`);
    for (let at = 0; at < names.length; at += 500) await counting.count(...names.slice(at, at + 500));
    await projector.passed('tally', await counting.count('new'), 20_000);
    expect(await forgetRows(counting.pool, schema, forgetting)).toBe(2500);
    expect(await counting.tallies()).toEqual({ new: 1 });
    expect(await ask('verify')).toBe('equal');
    expect(await ask('rebuild')).toBe('switched');
    expect(Object.keys(await counting.tallies())).toHaveLength(2501);
    expect(await forgetRows(counting.pool, schema, forgetting)).toBe(2500);
    expect(await counting.tallies()).toEqual({ new: 1 });
  });
});
