import { pause } from '@causeway/concurrency';
import { beginning, type Position } from '@causeway/event-sourcing';
import type { Parked } from './write-batch.ts';

export type State = 'waiting' | 'following';

/** What this process knows of one projection. `waiting`: another process runs it, or none yet. */
export type Progress = {
  state: State;
  position: Position;
  /** Of the live rows, where this process runs it. */
  parked: Parked;
  /** The last fault that passed, or may pass; for people. */
  lastFault: string | null;
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
    moved(position) {
      if (position > this.position) this.position = position;
      next.abort();
      next = new AbortController();
    },
    nextMove: (ms) => pause(ms, next.signal),
  };
};
