import { tokenBuckets } from './rate-limit.ts';

const buckets = () => {
  const clock = { ms: 0 };
  return { clock, limit: tokenBuckets(10, 20, () => clock.ms) };
};

test('a burst is let through, and not one more', () => {
  const { limit } = buckets();
  const answers = Array.from({ length: 21 }, () => limit.take('a'));
  expect(answers.map(({ allowed }) => allowed)).toEqual([...Array<boolean>(20).fill(true), false]);
  expect(answers.at(0)).toMatchObject({ limit: 20, remaining: 19, retryAfterSeconds: 0 });
  expect(answers.at(-1)).toMatchObject({ remaining: 0, retryAfterSeconds: 1, resetSeconds: 2 });
});

test('after the time told, the next request passes', () => {
  const { limit, clock } = buckets();
  while (limit.take('a').allowed);
  clock.ms += 99;
  expect(limit.take('a').allowed).toBe(false);
  clock.ms += 1;
  expect(limit.take('a').allowed).toBe(true);
});

test('refused requests cost nothing, and a rest fills the bucket no higher than the burst', () => {
  const { limit, clock } = buckets();
  for (let n = 0; n < 100; n++) limit.take('a');
  clock.ms += 60_000;
  expect(limit.look('a').remaining).toBe(20);
});

test('one key’s requests do not use up another’s, and looking takes nothing', () => {
  const { limit } = buckets();
  while (limit.take('a').allowed);
  expect([limit.look('b').remaining, limit.look('b').remaining, limit.take('b').remaining]).toEqual([20, 20, 19]);
});

test('keys without number do not fill the memory, nor free a key that has used up its bucket', () => {
  const { limit, clock } = buckets();
  while (limit.take('spent').allowed);
  clock.ms += 1;
  for (let n = 0; n < 20_000; n++) {
    limit.take(`k${n}`);
    clock.ms += 0.001;
  }
  expect(limit.look('spent').allowed).toBe(false);
});
