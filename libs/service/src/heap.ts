import { setFlagsFromString } from 'node:v8';

/**
 * Left alone, V8 lets the heap grow up to fourfold between two full collections, since memory is cheaper than time: a
 * sync of a million rows took 476 MiB, most of it texts of pages long booked; twofold it took 303.
 * To be set before the work begins. A V8 without the flag passes it over.
 */
export const keepHeapSmall = (): void => setFlagsFromString('--heap-growing-percent=100');
