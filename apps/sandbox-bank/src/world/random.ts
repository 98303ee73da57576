/** Two 32-bit numbers to one, well mixed (the finalizer of MurmurHash3): any day and row can be drawn on its own. */
export const mix = (a: number, b: number): number => {
  let hash = (a ^ Math.imul(b, 0x9e3779b1)) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/** FNV-1a. */
export const hashText = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
};

/** The next whole number from 0 up to, and without, `below` (at most 2^32). */
export type Draw = (below: number) => number;

/** Mulberry32: small, fast, and the same on every machine. */
export const drawsFrom = (seed: number): Draw => {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};

export const pick = <T>(draw: Draw, from: readonly [T, ...T[]]): T => from[draw(from.length)] ?? from[0];
