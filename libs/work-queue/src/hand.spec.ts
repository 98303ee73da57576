import { ClaimLost, claimTtlMs, startHand } from './hand.ts';

describe('a claim in hand', () => {
  const thrownBy = (act: () => void): unknown => {
    try {
      return void act();
    } catch (error) {
      return (error as Error).constructor;
    }
  };

  test.each([
    ['is held', false, false, undefined],
    ['was dropped', true, false, DOMException],
    ['ran out', false, true, ClaimLost],
    ['was dropped and then ran out', true, true, ClaimLost],
  ])('that %s', (_, isDropped, isOver, expected) => {
    const hand = startHand('claim', performance.now() - 1);
    if (isDropped) hand.drop();
    if (isOver) hand.renewed(performance.now() - claimTtlMs);
    const thrown = thrownBy(hand.throwIfLost);
    hand.end();
    expect(thrown).toBe(expected);
  });
});
