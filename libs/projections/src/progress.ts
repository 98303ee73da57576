import { pause } from '@causeway/concurrency';
import { beginning, type Position } from '@causeway/event-sourcing';
import type { Parked } from './write-batch.ts';

export type State = 'waiting' | 'following' | 'stalled';

/**
 * What this process knows of one projection. `waiting`: another process runs it, or none yet. `stalled`: nobody can: the
 * live rows are of a version of which no process is left, until those of this one are made.
 */
export type Progress = {
  state: State;
  position: Position;
  /** Of the live rows, where this process runs it. */
  parked: Parked;
  /** The last fault that passed, or may pass; for people. */
  lastFault: string | null;
  /** Once in the life of a process a new version is built by itself. */
  isUpgradeAsked: boolean;
  moved(position: Position): void;
  /** Resolves at the next move, or after `ms`. */
  nextMove(ms: number): Promise<void>;
};

export const newProgress = (): Progress => {
  let next = new AbortController();
  return {
    state: 'waiting',
    position: beginning,
    parked: { streams: new Set() },
    lastFault: null,
    isUpgradeAsked: false,
    moved(position) {
      if (position > this.position) this.position = position;
      next.abort();
      next = new AbortController();
    },
    nextMove: (ms) => pause(ms, next.signal),
  };
};
