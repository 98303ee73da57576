/** What a timer, a process or a server may be late by where two cores are shared by many. */
const lateMaxMs = 15_000;

/**
 * The most that a test grants what is promised within so many ms. It is for what would hang, or take minutes, without
 * the promise: how fast something is, a benchmark says.
 */
export const withRoom = (ms: number): number => ms + lateMaxMs;
