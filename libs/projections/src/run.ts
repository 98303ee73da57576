import { pause } from '@causeway/concurrency';
import { inLease } from '@causeway/postgres';
import { follow } from './follow.ts';
import {
  boundLocks,
  createGeneration,
  leftovers,
  liveGeneration,
  showGeneration,
  type Standing,
} from './generation.ts';
import { mendParked, recordParking } from './parking.ts';
import { parkedStreams, sayTold, type ParkedStream } from './parkings.ts';
import { tableOf } from './projection.ts';
import type { Progress } from './progress.ts';
import { beginGeneration, drop, fill, switchTo, whenFree, type Place } from './rebuild.ts';
import { serveRequests } from './serve-requests.ts';

export type Run = Place &
  Readonly<{
    progress: Progress;
    signal: AbortSignal;
    onFault(error: unknown): void;
    onParked(parked: ParkedStream): void;
    onSwitch(): void;
  }>;

/** Looked at anew as often while another version of this program has the projection. */
const otherVersionPauseMs = 1000;

/** The first generation there is: live from the start, and empty. */
const begin = (run: Run): Promise<void> =>
  whenFree(run.signal, () =>
    inLease(run.pool, run.lease, async (tx) => {
      const { schema, projection } = run;
      await boundLocks(tx);
      const made = await createGeneration(tx, schema, projection, true);
      for (const statement of projection.indexes(tableOf(schema, made))) await tx.query(statement);
      await showGeneration(tx, schema, projection, made);
    }),
  );

/** From an older version: fills the tables of this one while the old ones stay readable, then takes the views over. */
const upgrade = async (run: Run): Promise<void> => {
  const target = await beginGeneration(run);
  const position = await fill(target, run);
  await switchTo(target, position, run.signal);
  run.onSwitch();
  await tidy(run);
};

const tidy = async (run: Run): Promise<void> => {
  for (const left of await leftovers(run.pool, run.schema, run.projection)) await drop(run, left, run.signal);
};

/**
 * Says of what is parked that it is, and of what an older version parked that this one may be able to fold it. Not while
 * a generation is built: it may never be seen.
 */
const tellParked = async (run: Run, { generation }: Standing): Promise<void> => {
  const { pool, schema, store, projection } = run;
  const { name, version } = projection;
  for (const parked of await parkedStreams(pool, schema)) {
    if (parked.projection !== name || parked.generation !== generation) continue;
    const { stream, from: revision, reason } = parked;
    const isOlder = parked.version < version;
    if (parked.told && !isOlder) continue;
    if (!parked.told) {
      const data = { projection: name, version: parked.version, revision, reason };
      await recordParking(store, stream, { type: 'StreamParked', data });
      run.onParked(parked);
    }
    if (isOlder) await mendParked(store, { ...parked, version });
    await sayTold(pool, schema, { ...parked, version });
  }
};

const followGeneration = async (run: Run, live: Standing, signal: AbortSignal): Promise<void> => {
  const { progress, onFault } = run;
  progress.state = 'following';
  progress.parked = { streams: new Set(), onParked: () => tellParked(run, live) };
  const target = { ...run, generation: live, live: true, parked: progress.parked };
  await follow(target, { signal, onFault, moved: (position) => progress.moved(position) });
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
  const { pool, schema, projection } = run;
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
  await Promise.all([followLive(run, () => switching.signal), serveRequests(run, { switched, tidy: () => tidy(run) })]);
};
