import { beginning, type Position } from '@causeway/event-sourcing';

export type State = 'waiting' | 'following' | 'failed';

/** What this process knows of one projection. `waiting`: another process runs it, or none yet. */
export type Progress = {
  state: State;
  position: Position;
  failure: string | null;
  /** The last fault that passed, or may pass; for people. */
  lastFault: string | null;
  moved(position: Position): void;
  /** Resolves at the next move, or after `ms`. */
  nextMove(ms: number): Promise<void>;
};

export const newProgress = (): Progress => {
  const waiters = new Set<() => void>();
  return {
    state: 'waiting',
    position: beginning,
    failure: null,
    lastFault: null,
    moved(position) {
      if (position > this.position) this.position = position;
      for (const resolve of waiters) resolve();
    },
    nextMove: (ms) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiters.delete(done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        waiters.add(done);
      }),
  };
};
