import { ClaimLost, claimTtlMs, startHand } from './hand.ts';

describe('a claim in hand', () => {
  test.each([
    ['is held', false, false, undefined],
    ['was dropped', true, false, 'AbortError'],
    ['ran out', false, true, ClaimLost],
    ['was dropped and then ran out', true, true, ClaimLost],
  ])('that %s', (_, isDropped, isOver, expected) => {
    const hand = startHand('claim', performance.now() - 1);
    if (isDropped) hand.drop();
    if (isOver) hand.renewed(performance.now() - claimTtlMs);
    try {
      if (expected === undefined) hand.throwIfLost();
      else if (typeof expected === 'string')
        expect(hand.throwIfLost).toThrow(expect.objectContaining({ name: expected }));
      else expect(hand.throwIfLost).toThrow(expected);
    } finally {
      hand.end();
    }
  });
});
