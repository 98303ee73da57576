import type { Hold } from './hand.ts';

export type Taken<C> = Readonly<{
  claims: readonly C[];
  /** Until more becomes due. Null: nothing is known to come. */
  nextInMs: number | null;
  /** Something due was left for want of room. */
  crowded: boolean;
}>;

/** Where claims come from. Each lasts for `claimTtlMs` from its last renewal, by the clock of the database. */
export type Source<C, R> = Readonly<{
  /** Of this claim alone: another claim of the same item has another key. */
  keyOf(claim: C): string;
  /** One statement: takes what is due and has room beside what this process has in hand. */
  claim(inHand: readonly C[]): Promise<Taken<C>>;
  /** One statement. Resolves to the keys of the claims that are still held. */
  renew(claims: readonly C[]): Promise<ReadonlySet<string>>;
  /** What it throws before the signal has fired ends the work; the claim runs out, and the item is claimed again. */
  work(claim: C, hold: Hold): Promise<R>;
  /** The result that makes an item claimable again at once. */
  givenBack(claim: C): R;
  /** One statement. Writes results, except those of claims that are another's by now. */
  settle(results: readonly R[]): Promise<void>;
}>;
