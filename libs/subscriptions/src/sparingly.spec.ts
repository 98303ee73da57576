import { sparingly } from './sparingly.ts';

test.each([
  [
    'the first of a row is told, and one after 30 s',
    ['0 down', '100 down', '29999 down', '30000 down', '30100 down'],
    [0, 30_000],
  ],
  ['one that differs is told at once', ['0 down', '100 slow', '200 down', '300 slow'], [0, 100]],
  [
    'each has 30 s of its own',
    ['0 down', '20000 slow', '30000 down', '40000 slow', '50000 slow'],
    [0, 20_000, 30_000, 50_000],
  ],
])('of faults, %s', (_, faults, expected) => {
  let now = 0;
  const told: number[] = [];
  const note = sparingly(
    () => told.push(now),
    () => now,
  );
  for (const fault of faults) {
    const [at, message] = fault.split(' ');
    now = Number(at);
    note(new Error(message));
  }
  expect(told).toEqual(expected);
});
