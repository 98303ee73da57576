import { distributedPlanOf, kinds } from './distributed.ts';
import { randomOf } from '@causeway/testing';
import { stops } from './stops.ts';

const seeds = Array.from({ length: 50 }, (_, n) => n + 1);
const plans = seeds.map((seed) => distributedPlanOf(seed, randomOf(seed)));

describe('the plan of a run against five processes', () => {
  test('is the same for the same seed', () => {
    expect(distributedPlanOf(7, randomOf(7))).toEqual(plans[6]);
  });

  test('meets every kind of fault, and every way in which the whole ends, at least twice in fifty seeds', () => {
    const met = plans.flat().map(({ target }) => target);
    const rare = [...kinds, ...stops].filter((kind) => met.filter((target) => target === kind).length < 2);
    expect(rare).toEqual([]);
    expect(new Set(met).size).toBe(kinds.length + stops.length);
  });

  test('lets five stand still for a minute, each another', () => {
    const long = plans.flat().filter(({ lastsMs }) => lastsMs === 60_000);
    expect(new Set(long.map(({ target }) => target)).size).toBe(5);
    expect(long.every(({ target }) => target.startsWith('stop '))).toBe(true);
  });
});
