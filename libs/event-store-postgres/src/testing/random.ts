export type Random = Readonly<{ below(bound: number): number; pick<T>(from: readonly T[]): T }>;

/** To repeat a run: `CAUSEWAY_SEED=<the seed in the test's name>`. */
export const seed = Number(process.env['CAUSEWAY_SEED'] ?? Date.now() % 1_000_000);

/** Mulberry32: small, and the same everywhere. */
export const randomFrom = (start: number): Random => {
  let state = start >>> 0;
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
  return { below, pick: <T>(from: readonly T[]) => from[below(from.length)] as T };
};
