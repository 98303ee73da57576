import type { Sequenced } from '@causeway/event-sourcing';
import { atMost, inOrderByKey } from '@causeway/messaging';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgress } from './progress.ts';
import { startWalk, type Run, type Runner, type Walk, type WalkOptions } from './walk.ts';

export type ReactionOptions = WalkOptions &
  Readonly<{
    /** What must happen one after the other has one key. Undefined: nothing to do. Pure. */
    keyOf: (event: Sequenced) => string | undefined;
    /**
     * Acts on the outside and records the outcome. Called at least once per event, so it must recognise what has been
     * done. What it throws is tried again with backoff until it succeeds. `signal`: leave off, the event comes again.
     */
    react: (event: Sequenced, signal: AbortSignal) => Promise<void>;
    /** Effects that run at once. One that waits for its next try does not count. */
    concurrencyMax?: number;
  }>;

const concurrencyDefault = 16;
/** Events that may lie between the checkpoint and the newest one begun: what a restart repeats, and what memory holds. */
const unfinishedMax = 1000;
const roomPollMs = 20;
const backoffMs = 100;
const backoffMaxMs = 30_000;

/**
 * Our event → an effect outside → a command with the outcome. A slow or failing effect holds up those of its own key
 * only; the checkpoint moves over a prefix of which everything is done.
 */
export const reaction = (options: ReactionOptions): Walk => {
  const inOrder = inOrderByKey();
  const limited = atMost(options.concurrencyMax ?? concurrencyDefault);

  return startWalk(options, (run): Runner => {
    const progress = startProgress(run);
    const running = new Set<Promise<void>>();

    const begin = (key: string, event: Sequenced): void => {
      const done = progress.begin(event.position);
      const effect = inOrder(key, () => untilDone(() => limited(() => options.react(event, run.signal)), run))
        .then((finished) => (finished ? done() : undefined))
        .finally(() => running.delete(effect));
      running.add(effect);
    };

    return {
      take: async ({ events, position }) => {
        for (const event of events) {
          const key = options.keyOf(event);
          if (key === undefined) continue;
          while (running.size >= unfinishedMax && !run.signal.aborted) await sleep(roomPollMs);
          begin(key, event);
        }
        progress.seen(position);
        return position;
      },
      end: async () => {
        await Promise.all(running);
        await progress.end();
      },
    };
  });
};

/** False: the run ended first. */
const untilDone = async (act: () => Promise<void>, { signal, fault }: Run): Promise<boolean> => {
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      await act();
      return true;
    } catch (error) {
      fault(error);
    }
    const pauseMs = Math.min(backoffMs * 2 ** (attempt - 1), backoffMaxMs);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
};
