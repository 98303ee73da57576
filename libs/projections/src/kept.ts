import { pause } from '@causeway/concurrency';
import { inLease } from '@causeway/postgres';
import { catchUp } from './catch-up.ts';
import { dropGeneration, keptGenerations, liveGeneration, standingOf, type Standing } from './generation.ts';
import { considerate } from './pace.ts';
import { beside, type Place } from './rebuild.ts';
import { CheckpointMoved } from './write-batch.ts';

/** Nobody waits for these rows: what comes meanwhile goes into one commit. */
const restMs = 1000;

type Follow = Readonly<{ signal: AbortSignal; onFault(error: unknown): void }>;

/** Brings what was live before to where the live rows are, now and then, until it is gone or gone back to. */
export const followKept = async (place: Place, kept: Standing, { signal, onFault }: Follow): Promise<void> => {
  const { pool, schema, store } = place;
  const pace = considerate(pool);
  while (!signal.aborted) {
    try {
      const standing = await standingOf(pool, schema, kept);
      const live = await liveGeneration(pool, schema, kept.name);
      if (standing?.stage !== 'kept' || live === undefined) return;
      const { position } = standing;
      if (position >= live.position) await store.changed(live.position, signal);
      else await catchUp(await beside(place, kept), position, { signal, until: live.position, pace });
    } catch (error) {
      if (!(error instanceof CheckpointMoved)) onFault(error);
    }
    await pause(restMs, signal);
  }
};

const lookEveryMs = 60_000;
const forsakenMaxSeconds = 3600;

/**
 * Drops what was live before and is of a version that no process is left of: it would keep for good what is erased. For
 * an hour's worth of events one may come back.
 */
export const dropForsaken = async (place: Place, { signal, onFault }: Follow): Promise<void> => {
  const { pool, schema, projection } = place;
  while (!signal.aborted) {
    await pause(lookEveryMs, signal);
    try {
      const live = await liveGeneration(pool, schema, projection.name);
      if (signal.aborted || live?.version !== projection.version) continue;
      for (const kept of await keptGenerations(pool, schema, projection.name)) {
        const behindMs = Date.parse(live.recordedAt) - Date.parse(kept.recordedAt);
        if (kept.version === projection.version || behindMs < forsakenMaxSeconds * 1000) continue;
        await inLease(pool, place.lease, (tx) => dropGeneration(tx, schema, kept));
      }
    } catch (error) {
      onFault(error);
    }
  }
};
