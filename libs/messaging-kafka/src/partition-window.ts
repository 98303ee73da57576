/** How much of one partition is in hand at once. Bytes, because a statement part is a thousand times a command. */
const undoneMax = 1000;
const undoneBytesMax = 8 * 1024 * 1024;

/**
 * What of a partition has been taken and is not done yet. Messages end in any order; the position is that of the first
 * one that is not done, so that a commit never passes over one.
 */
export const partitionWindow = () => {
  /** Bytes by offset, in the order they were taken, which is that of the offsets. */
  const undone = new Map<bigint, number>();
  let next: bigint | undefined;
  let bytes = 0;

  /** False for one that was taken before: a member that joins again is sent what it had not committed. */
  const take = (offset: bigint, size: number): boolean => {
    if (next !== undefined && offset < next) return false;
    next = offset + 1n;
    undone.set(offset, size);
    bytes += size;
    return true;
  };

  const done = (offset: bigint): void => {
    bytes -= undone.get(offset) ?? 0;
    undone.delete(offset);
  };

  /** Where to go on after a restart; undefined while nothing was taken. */
  const position = (): bigint | undefined => undone.keys().next().value ?? next;

  const isFull = (): boolean => undone.size >= undoneMax || bytes >= undoneBytesMax;
  /** Well below full, so that fetching is not stopped and started at every message. */
  const hasRoom = (): boolean => undone.size < undoneMax / 2 && bytes < undoneBytesMax / 2;
  return { take, done, position, isFull, hasRoom };
};

export type PartitionWindow = ReturnType<typeof partitionWindow>;
