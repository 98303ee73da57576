import { describeWithPostgres } from '@causeway/testing';
import { projectionStatuses } from './lag.ts';
import { openCounting, schema, tally, type Counting } from './testing/tally.ts';

const soon = 30_000;

describeWithPostgres('the lag of a projection', () => {
  let counting: Counting;
  beforeEach(async () => {
    counting = await openCounting();
  });
  afterEach(() => counting.close());

  test('is in events and in the seconds that the oldest of them waits', async () => {
    const projector = counting.run([tally()]);
    await projector.passed('tally', await counting.count('a'), soon);
    await projector.stop();
    const at = (ms: number) => projectionStatuses(counting.pool, schema, counting.store, ms);
    expect(await at(Date.now())).toEqual([
      { name: 'tally', version: 1, position: 1, lagEvents: 0, lagSeconds: 0, state: 'live', parked: [] },
    ]);
    await counting.count('b', 'c');
    const { events } = await counting.store.readAll(await projector.position('tally'), 1);
    const waitingSince = Number(events[0]?.recordedAt) / 1000;
    expect(await at(waitingSince + 7500)).toEqual([
      { name: 'tally', version: 1, position: 1, lagEvents: 2, lagSeconds: 7.5, state: 'live', parked: [] },
    ]);
  });
});
