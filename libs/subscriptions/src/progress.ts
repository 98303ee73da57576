import { beginning, type Position } from '@causeway/event-sourcing';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Run } from './walk.ts';

const commitRetryMs = 200;

/** What lies between the checkpoint and the newest event begun. */
const unfinishedPrefix = () => {
  const entries: { position: Position; done: boolean }[] = [];
  let last = beginning;
  return {
    begin: (position: Position): { done: boolean } => {
      const entry = { position, done: false };
      entries.push(entry);
      return entry;
    },
    seen: (position: Position): void => {
      last = position;
    },
    /** Everything up to here is done. */
    finished: (): Position => {
      while (entries[0]?.done === true) entries.shift();
      const first = entries[0];
      return first === undefined ? last : ((first.position - 1) as Position);
    },
  };
};

/** Moves the checkpoint behind the first unfinished event; one move at a time, the newest place only. */
export const startProgress = ({ commit, fault, signal }: Run) => {
  const prefix = unfinishedPrefix();
  let committed = beginning;
  let moving: Promise<void> | undefined;

  const move = async (): Promise<void> => {
    for (let to = prefix.finished(); to > committed; to = prefix.finished()) {
      try {
        await commit(to);
        committed = to;
      } catch (error) {
        fault(error);
        if (signal.aborted) return;
        await sleep(commitRetryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  };
  const wake = (): void => {
    moving ??= move().finally(() => (moving = undefined));
  };

  return {
    begin: (position: Position): (() => void) => {
      const entry = prefix.begin(position);
      return () => {
        entry.done = true;
        wake();
      };
    },
    seen: (position: Position): void => {
      prefix.seen(position);
      wake();
    },
    end: async (): Promise<void> => moving,
  };
};
