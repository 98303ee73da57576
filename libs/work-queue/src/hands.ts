import { gathering, pause } from '@causeway/concurrency';
import { startHand, type Hand } from './hand.ts';
import type { Source } from './source.ts';

const retryMs = 500;
const triesMax = 10;

/** What cannot be written after some seconds is given up: its claim runs out, and the work is done again. */
const settling = <C, R>(source: Source<C, R>, onFault: (error: unknown) => void) =>
  gathering(async (results: readonly R[]): Promise<void> => {
    for (let tries = 1; tries <= triesMax; tries++) {
      try {
        return await source.settle(results);
      } catch (error) {
        onFault(error);
      }
      await pause(retryMs);
    }
  });

const workIn = async <C, R>(source: Source<C, R>, hand: Hand<C>): Promise<R> => {
  try {
    return await source.work(hand.claim, hand);
  } catch (error) {
    if (!hand.signal.aborted) throw error;
    // Where the claim was lost, too: nothing is written over another's, and if there is none, nobody has to wait.
    return source.givenBack(hand.claim);
  }
};

/** The work of this process that is under way. `ended`: an item was let go of. */
export const startHands = <C, R>(source: Source<C, R>, onFault: (error: unknown) => void, ended: () => void) => {
  const hands = new Map<Hand<C>, Promise<void>>();
  const settle = settling(source, onFault);

  const work = async (hand: Hand<C>): Promise<void> => {
    await workIn(source, hand)
      .then((result) => settle([result]))
      .catch(onFault);
    hand.end();
    hands.delete(hand);
    ended();
  };
  const held = () => [...hands.keys()].filter((hand) => !hand.isLost());

  return {
    claims: (): readonly C[] => [...hands.keys()].map(({ claim }) => claim),
    take: (claim: C, sentAtMs: number): void => {
      const hand = startHand(claim, sentAtMs);
      hands.set(hand, work(hand));
    },
    renew: async (): Promise<void> => {
      const renewing = held();
      if (renewing.length === 0) return;
      const sentAtMs = performance.now();
      const kept = await source.renew(renewing.map(({ claim }) => claim));
      for (const hand of renewing) {
        if (kept.has(source.keyOf(hand.claim))) hand.renewed(sentAtMs);
        else hand.lose();
      }
    },
    drop: (which: (claim: C) => boolean): void =>
      held()
        .filter(({ claim }) => which(claim))
        .forEach((hand) => hand.drop()),
    empty: async (): Promise<void> => void (await Promise.all(hands.values())),
    /** Of what does not return: its claims are another's from here on. */
    giveBack: async (): Promise<void> => {
      const left = held();
      left.forEach((hand) => hand.end());
      if (left.length > 0) await source.settle(left.map(({ claim }) => source.givenBack(claim)));
    },
  };
};
