import { holdLease, inTransaction } from '@causeway/postgres';
import { once } from 'node:events';
import { follow, pause } from './follow.ts';
import {
  boundLocks,
  createGeneration,
  leftovers,
  liveGeneration,
  showGeneration,
  type Standing,
} from './generation.ts';
import { tableOf } from './projection.ts';
import type { Progress } from './progress.ts';
import { beginGeneration, drop, fill, switchTo, whenFree, type Place } from './rebuild.ts';
import { serveRequests } from './serve-requests.ts';
import { EventUnprojectable } from './write-batch.ts';

/** An event that a projection could not take, for whoever keeps dead letters. Its data is not told: it is the bank's. */
export type Poison = Readonly<{
  projection: string;
  version: number;
  position: number;
  event: Readonly<{ id: string; type: string; stream: string }>;
  reason: string;
}>;

export type Run = Place &
  Readonly<{
    progress: Progress;
    signal: AbortSignal;
    onFault(error: unknown): void;
    onPoison(poison: Poison): Promise<void>;
    onSwitch(): void;
  }>;

/** Looked at anew as often while another version of this program has the projection. */
const otherVersionPauseMs = 1000;

/** The first generation there is: live from the start, and empty. */
const begin = (run: Run): Promise<void> =>
  whenFree(run.signal, () =>
    inTransaction(run.pool, async (tx) => {
      const { schema, projection } = run;
      await boundLocks(tx);
      await holdLease(tx, run.lease);
      const made = await createGeneration(tx, schema, projection, true);
      for (const statement of projection.indexes(tableOf(schema, made))) await tx.query(statement);
      await showGeneration(tx, schema, projection, made);
    }),
  );

/** From an older version: fills the tables of this one while the old ones stay readable, then takes the views over. */
const upgrade = async (run: Run): Promise<void> => {
  const target = { ...run, generation: await beginGeneration(run) };
  const position = await fill(target, run);
  await switchTo(target, position, run.signal);
  run.onSwitch();
  await tidy(run);
};

const tidy = async (run: Run): Promise<void> => {
  for (const left of await leftovers(run.pool, run.schema, run.projection)) await drop(run, left, run.signal);
};

/** Written down beside the checkpoint too, so that whoever looks from outside sees it. */
const stopAt = async (run: Run, live: Standing, error: EventUnprojectable): Promise<void> => {
  const { pool, schema, projection, progress } = run;
  const stopped = await liveGeneration(pool, schema, projection.name);
  if (stopped !== undefined) progress.moved(stopped.position);
  progress.failure = `${error.event.type} ${error.event.id} at position ${error.position}: ${error.message}`;
  progress.state = 'failed';
  await pool.query(
    `UPDATE ${schema}.projection SET failure = $3, failed_position = $4 WHERE name = $1 AND generation = $2`,
    [projection.name, live.generation, progress.failure, error.position],
  );
  await run.onPoison({
    projection: projection.name,
    version: projection.version,
    position: error.position,
    event: error.event,
    reason: error.message,
  });
};

const followGeneration = async (run: Run, live: Standing, signal: AbortSignal): Promise<void> => {
  const { progress, onFault } = run;
  progress.state = 'following';
  progress.failure = null;
  try {
    await follow({ ...run, generation: live }, { signal, onFault, moved: (position) => progress.moved(position) });
  } catch (error) {
    if (!(error instanceof EventUnprojectable)) throw error;
    await stopAt(run, live, error).catch(onFault);
    // Until another generation is switched to, or the process starts anew with a fold that can take the event.
    if (!signal.aborted) await once(signal, 'abort');
  }
};

const followLive = async (run: Run, switching: () => AbortSignal): Promise<void> => {
  const { pool, schema, projection, signal, progress } = run;
  while (!signal.aborted) {
    try {
      const live = await liveGeneration(pool, schema, projection.name);
      if (live?.version === projection.version) {
        await followGeneration(run, live, AbortSignal.any([signal, switching()]));
        continue;
      }
      progress.state = 'waiting';
    } catch (error) {
      run.onFault(error);
    }
    await pause(otherVersionPauseMs, signal);
  }
};

/** Runs one projection under its lease: the live generation, and beside it what operators ask for. */
export const runProjection = async (run: Run): Promise<void> => {
  const { pool, schema, projection, signal, onFault } = run;
  const live = await liveGeneration(pool, schema, projection.name);
  if (live === undefined) await begin(run);
  await tidy(run);
  if (live !== undefined && live.version < projection.version) await upgrade(run);

  let switching = new AbortController();
  const switched = (): void => {
    switching.abort();
    switching = new AbortController();
    run.onSwitch();
  };
  await Promise.all([
    followLive(run, () => switching.signal),
    serveRequests(run, { signal, switched, onFault }, () => tidy(run)),
  ]);
};
