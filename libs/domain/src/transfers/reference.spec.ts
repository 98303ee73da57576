import { referenceOf, transferOf } from './reference.ts';

const id = '0198c1a2-7b3c-7d4e-8f50-123456789abc';

test.each([
  [0, id],
  [1, `${id}.1`],
  [12, `${id}.12`],
])('of attempt %i is %s, and leads back to the transfer', (attempt, reference) => {
  expect(referenceOf(id, attempt)).toBe(reference);
  expect(transferOf(reference)).toBe(id);
});

test.each(['INV-2026', `${id}.0`, `${id}.x`, `x${id}`, ''])(
  'that is no reference of ours leads nowhere: %s',
  (text) => {
    expect(transferOf(text)).toBeUndefined();
  },
);
