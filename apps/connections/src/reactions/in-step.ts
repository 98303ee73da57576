import type { EventStore, Position } from '@causeway/event-sourcing';
import { setTimeout as sleep } from 'node:timers/promises';

/** Twice this much may be on its way to the ledger: what a fast bank sends must not pile up behind a slow ledger. */
const windowBytes = 8 * 1024 * 1024;
const pollMs = 50;

/** Keeps a run in step with the relay. */
export const inStep = (store: EventStore, published: () => Promise<Position>) => {
  let sinceMark = 0;
  let mark: Position | undefined;
  return {
    /** Waits until what was sent a window ago has been published. */
    sent: async (bytes: number, signal: AbortSignal): Promise<void> => {
      sinceMark += bytes;
      if (sinceMark < windowBytes) return;
      sinceMark = 0;
      const next = await store.head();
      while (mark !== undefined && (await published()) < mark) await sleep(pollMs, undefined, { signal });
      mark = next;
    },
  };
};
