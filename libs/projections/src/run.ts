import { pause } from '@causeway/concurrency';
import { inLease, type Lease } from '@causeway/postgres';
import { follow } from './follow.ts';
import {
  boundLocks,
  createGeneration,
  ddlOf,
  keptGenerations,
  liveGeneration,
  showGeneration,
  type Standing,
} from './generation.ts';
import { endAbandonedHold } from './hold.ts';
import { dropForsaken, followKept } from './kept.ts';
import { mendParked, recordParking } from './parking.ts';
import { parkedStreams, sayTold, type ParkedStream } from './parkings.ts';
import { leaseName, tableOf } from './projection.ts';
import type { ProjectionRequest } from './requests.ts';
import type { Progress } from './progress.ts';
import { whenFree, type Place } from './rebuild.ts';
import { serveRequests, tidy } from './serve-requests.ts';

export type Run = Place &
  Readonly<{
    progress: Progress;
    signal: AbortSignal;
    onFault(error: unknown): void;
    onParked(parked: ParkedStream): void;
    onSwitch(): void;
    onVerified(request: ProjectionRequest): void;
    /** Nobody can follow the live rows, which are of this version, until this one's are made. */
    onStalled(version: number): void;
    /** Works under the lease of a version until the signal. */
    leased(
      version: number,
      signal: AbortSignal,
      work: (lease: Lease, signal: AbortSignal) => Promise<void>,
    ): Promise<void>;
  }>;

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

/** Whether a process of the version of these rows is left. */
const isLeased = async ({ pool, schema }: Run, { name, version }: Standing): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `SELECT FROM ${schema}.lease WHERE name = $1 AND expires_at > clock_timestamp()`,
    [leaseName(name, version)],
  );
  return rowCount === 1;
};

/**
 * The rows of an older version, until this one is filled: nobody else may be left who does. Only a process that holds the
 * lease of that version writes to them, and only one that makes the same tables can.
 */
const followOlder = async (run: Run, live: Standing, signal: AbortSignal): Promise<void> => {
  const { progress } = run;
  if (live.ddl !== ddlOf(run.projection)) {
    const isLeft = await isLeased(run, live);
    if (!isLeft && progress.state !== 'stalled') run.onStalled(live.version);
    progress.state = isLeft ? 'waiting' : 'stalled';
    return;
  }
  progress.state = 'waiting';
  const ended = new AbortController();
  await run.leased(live.version, AbortSignal.any([signal, ended.signal]), async (lease, held) => {
    await followGeneration({ ...run, lease }, live, held);
    ended.abort();
  });
};

/** Looked at anew as often while another process has the live rows, or they are held. */
const elsewherePauseMs = 1000;
const heldPauseMs = 50;

const followLive = async (run: Run, live: Standing, signal: AbortSignal): Promise<void> => {
  const { pool, schema, projection, progress } = run;
  if (live.heldFor !== null) {
    await endAbandonedHold(pool, schema, live);
    return pause(heldPauseMs, signal);
  }
  if (live.version === projection.version) return followGeneration(run, live, signal);
  if (live.version < projection.version) await followOlder(run, live, signal);
  else progress.state = 'waiting';
  await pause(elsewherePauseMs, signal);
};

/** Keeps the live rows at the end of the store, and behind them those that were live before. */
const followBoth = async (run: Run, changing: () => AbortSignal): Promise<void> => {
  const { pool, schema, projection, signal, onFault } = run;
  while (!signal.aborted) {
    const ended = new AbortController();
    const both = AbortSignal.any([signal, changing(), ended.signal]);
    try {
      const live = await liveGeneration(pool, schema, projection.name);
      if (live === undefined) throw new Error(`${projection.name} has no live generation`);
      const kept = (await keptGenerations(pool, schema, projection.name)).find(
        ({ version }) => version === projection.version && live.heldFor === null,
      );
      await Promise.all([
        followLive(run, live, both).finally(() => ended.abort()),
        kept && followKept(run, kept, { signal: both, onFault }),
      ]);
    } catch (error) {
      onFault(error);
      await pause(elsewherePauseMs, signal);
    }
  }
};

/** Runs one projection under its lease: the live generation, and beside it what operators ask for. */
export const runProjection = async (run: Run): Promise<void> => {
  const { pool, schema, projection, progress, signal, onFault } = run;
  if ((await liveGeneration(pool, schema, projection.name)) === undefined) await begin(run);
  let changing = new AbortController();
  const changed = (): void => {
    changing.abort();
    changing = new AbortController();
  };
  const server = { ...run, changed };
  await Promise.all([
    followBoth(run, () => changing.signal),
    // Beside the live rows: what is left over may still be in use.
    tidy(server).catch((error: unknown) => (signal.aborted ? undefined : onFault(error))),
    serveRequests(server, progress),
    dropForsaken(run, run),
  ]);
};
