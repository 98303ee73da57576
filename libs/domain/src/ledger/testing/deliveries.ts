import type { StatementPage } from '../statement.ts';
import { pagesOf, type Bank, type Step } from './simulated-bank.ts';

export type Delivery = Readonly<{ run: number; number: number; page: StatementPage }>;

/** Numbers from 0 to 1 that look like chance, the same for the same seed (mulberry32). */
const chanceOf = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/**
 * The pages of some syncs in an order that no bus would give them: some at once, some late by a sync or by all of them,
 * some twice. A sync shows all days or the last ones, in pages of its own cut, some of which do not say what they cover;
 * the last one shows all.
 */
export const deliveries = (
  seed: number,
  syncs: readonly (readonly Step[])[],
  after: (between: readonly Step[]) => Bank,
): readonly Delivery[] => {
  const chance = chanceOf(seed);
  const lateness = (): number => [0, 0, chance(), 1 + 3 * chance(), syncs.length * chance()][Math.floor(5 * chance())]!;
  const sent: (Delivery & Readonly<{ at: number }>)[] = [];
  for (const [run, between] of syncs.entries()) {
    const bank = after(between);
    const isLast = run === syncs.length - 1;
    const since = isLast ? 0 : Math.floor(chance() * chance() * bank.today);
    for (const [number, page] of pagesOf(bank, 1 + Math.floor(15 * chance()), since).entries()) {
      const told = !isLast && chance() < 0.2 ? { ...page, coverage: { posted: null, pending: null } } : page;
      for (let copies = chance() < 0.2 ? 2 : 1; copies > 0; copies--) {
        sent.push({ run: run + 1, number, page: told, at: run + lateness() });
      }
    }
  }
  return sent.sort((a, b) => a.at - b.at);
};
