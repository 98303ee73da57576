import { pause } from '@causeway/concurrency';
import type { Batch, Position } from '@causeway/event-sourcing';
import { catchUp } from './catch-up.ts';
import { standingOf } from './generation.ts';
import { CheckpointMoved, lookForParked, type Target } from './write-batch.ts';

type Follow = Readonly<{
  signal: AbortSignal;
  moved(position: Position): void;
  /** What passes: it is tried again after a pause. */
  onFault(error: unknown): void;
}>;

const pauseMinMs = 50;
/** Whoever waits to see what they wrote waits 2 s: once the database is back, less than that may pass before we are. */
const pauseMaxMs = 1000;

/**
 * A batch of so many events at the end of the store is a piece of a long history, and more is to come. What comes until
 * the next tick goes into one commit, not page by page. All projections rest until the same tick, and so read the same
 * batches, which are then decrypted once.
 */
const pieceEvents = 250;
const tickMs = 100;

/**
 * Keeps a generation at the end of the store until the signal; after a fault, from where its checkpoint is by then.
 * Ends by itself when the generation is not this runner's any more.
 */
export const follow = async (target: Target, { signal, moved, onFault }: Follow): Promise<void> => {
  const { store, pool, schema, generation, parked } = target;
  const rest = async ({ events }: Batch): Promise<void> => {
    if (events.length >= pieceEvents) await pause(tickMs - (performance.now() % tickMs), signal);
  };
  let pauseMs = pauseMinMs;
  while (!signal.aborted) {
    try {
      const standing = await standingOf(pool, schema, generation);
      if (standing === undefined) return;
      let { position } = standing;
      await lookForParked(target, position);
      await parked.onParked?.();
      moved(position);
      while (!signal.aborted) {
        position = await catchUp(target, position, { signal, moved, rest });
        // What was erased meanwhile is not parked any more.
        if (parked.streams.size > 0) await lookForParked(target, position);
        pauseMs = pauseMinMs;
        await store.changed(position, signal);
      }
    } catch (error) {
      if (error instanceof CheckpointMoved) return;
      onFault(error);
      await pause(pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, pauseMaxMs);
    }
  }
};
