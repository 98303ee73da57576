import { appendRules } from './append-rules.ts';
import { erasureRules } from './erasure-rules.ts';
import { raceRules } from './race-rules.ts';
import type { StoreUnderTest } from './store-under-test.ts';
import { subscriptionRules } from './subscription-rules.ts';

/** What a store is: an adapter that passes is one. `makeStore` answers an empty store each time. */
export const eventStoreConformance = (name: string, makeStore: () => Promise<StoreUnderTest>): void => {
  describe(name, () => {
    let made: StoreUnderTest;
    beforeEach(async () => {
      made = await makeStore();
    });
    afterEach(() => made.close());

    const subject = (): StoreUnderTest => made;
    describe('an append', () => appendRules(subject));
    describe('the total order', () => subscriptionRules(subject));
    describe('under races', () => raceRules(subject));
    describe('an erasure', () => erasureRules(subject));
  });
};
