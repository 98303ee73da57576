import { pause } from '@causeway/concurrency';
import type { Position } from '@causeway/event-sourcing';
import { inLease, isOutage, LeaseLost } from '@causeway/postgres';
import { createGeneration, keptGenerations, leftovers, liveGeneration, toStage } from './generation.ts';
import { Overtaken, release } from './hold.ts';
import type { Generation } from './projection.ts';
import { approach, beside, drop, fill, isAgain, reach, type Place } from './rebuild.ts';
import {
  addRequest,
  Cancelled,
  changeRequest,
  decisionOf,
  fillFor,
  openRequest,
  requestById,
  type ProjectionRequest,
  type RequestChange,
} from './requests.ts';
import { look, Refused, switchTo, type Found } from './switch.ts';
import { verify } from './mend.ts';
import { CheckpointMoved, type Target } from './write-batch.ts';

export type Server = Place &
  Readonly<{
    signal: AbortSignal;
    onFault(error: unknown): void;
    /** Another generation is live, or one is kept or gone. */
    changed(): void;
    onSwitch(): void;
    onVerified(request: ProjectionRequest): void;
  }>;

type Job = Readonly<{
  request: ProjectionRequest;
  signal: AbortSignal;
  change(to: RequestChange): Promise<void>;
  moved(events: Position): void;
}>;

const pollMs = 500;
/** How often progress is written down at most. */
const progressMs = 250;

/** Drops what is neither live nor kept nor at work; as soon as those who use it let go. */
export const tidy = async (server: Server): Promise<void> => {
  for (const left of await leftovers(server.pool, server.schema, server.projection)) {
    await drop(server, left, server.signal);
  }
};

/** One at most is kept: it is as large as the live one. */
const dropKept = async (server: Server): Promise<void> => {
  for (const kept of await keptGenerations(server.pool, server.schema, server.projection.name)) {
    await drop(server, kept, server.signal);
    server.changed();
  }
};

/** An empty generation that the request names, in place of the one that it named. */
const begin = async (server: Server, request: ProjectionRequest): Promise<ProjectionRequest> => {
  const { pool, schema, projection, lease } = server;
  if (request.kind !== 'verify') await dropKept(server);
  return inLease(pool, lease, async (tx) => {
    const { generation } = await createGeneration(tx, schema, projection, false);
    if (!(await fillFor(tx, schema, request, generation))) throw new Overtaken('it was taken up elsewhere');
    return { ...request, generation };
  });
};

/** Follows the live rows until the operator has decided. */
const decided = async (target: Target, { request: { id }, signal }: Job, from: Position): Promise<boolean> => {
  for (let position = from; ; position = await approach(target, position, { signal })) {
    const decision = await decisionOf(target.pool, target.schema, id);
    if (decision === 'switch') return true;
    if (decision === 'drop') return false;
    await pause(pollMs, signal);
    signal.throwIfAborted();
  }
};

/** Up to where the live rows are, and compared with them. */
const made = async (target: Target, { request, signal, change, moved }: Job): Promise<[Position, Found]> => {
  if (request.state === 'waiting') await change({ state: 'building', total: await target.store.head() });
  const position = await fill(target, { signal, moved, indexing: () => change({ state: 'indexing' }) });
  const live = await liveGeneration(target.pool, target.schema, target.projection.name);
  const end = Math.max(position, live?.position ?? position) as Position;
  await reach(target, end, signal);
  const found = await look(target);
  await change({ state: 'ready', events: end, total: end, ...found.counts });
  return [end, found];
};

const rebuild = async (target: Target, job: Job): Promise<RequestChange> => {
  const { request, signal } = job;
  if (request.state === 'correcting') await switchTo(target, { request, signal });
  else {
    await release(target.pool, target.schema, request.id);
    const [position, found] = await made(target, job);
    if (!(await decided(target, job, position))) return { state: 'discarded' };
    await switchTo(target, { request, signal, found });
  }
  return { state: 'switched' };
};

/** Times that a rebuild is begun anew because the live rows came to hold back what it shows. */
const anewMax = 3;

const carryOut = async (server: Server, job: Job): Promise<RequestChange> => {
  let { request } = job;
  if (request.kind === 'drop') {
    await dropKept(server);
    return { state: 'dropped' };
  }
  for (let tries = 1; ; tries++) {
    if (request.generation === null) request = await begin(server, request);
    const generation: Generation = { ...server.projection, generation: request.generation as number };
    const target = await beside(server, generation);
    if (request.kind === 'verify') return verify(target, { ...job, decided: (of, from) => decided(of, job, from) });
    if (request.kind === 'rollback') await toStage(server.pool, server.schema, generation, 'ready');
    try {
      return await rebuild(target, { ...job, request });
    } catch (error) {
      if (!(error instanceof Overtaken) || tries === anewMax || request.kind === 'rollback') throw error;
    }
    request = { ...(await begin(server, request)), state: 'waiting' };
  }
};

/** `disk_full` is no outage that passes: what is filled gives the place back. */
const diskFull = '53100';
const passes = (error: unknown): boolean =>
  error instanceof CheckpointMoved ||
  isAgain(error) ||
  (isOutage(error) && (error as { code?: unknown }).code !== diskFull);

/** What the error says may quote the bank's data, so that it is not told; what this library says does not. */
const wordOf = (error: unknown): string => {
  const { code } = error as { code?: unknown };
  if (error instanceof Refused || error instanceof Overtaken) return error.message;
  if (code === diskFull) return 'the disk is full';
  if (typeof code === 'string') return `error ${code}`;
  return error instanceof Error ? error.name : 'an error';
};

/** What becomes of a request that threw; undefined: it goes on later. */
const endOf = async (server: Server, { id }: ProjectionRequest, error: unknown): Promise<RequestChange | undefined> => {
  if (error instanceof Cancelled) return { state: 'cancelled' };
  if (passes(error)) return undefined;
  const now = await requestById(server.pool, server.schema, id);
  // What was begun to be recorded is recorded to the end.
  return now?.state === 'correcting' ? undefined : { state: 'failed', detail: wordOf(error) };
};

const finish = async (server: Server, { id }: ProjectionRequest, end: RequestChange): Promise<void> => {
  const { pool, schema } = server;
  const request = await requestById(pool, schema, id);
  const generation = { ...server.projection, generation: request?.generation ?? 0 };
  if (request?.kind === 'rollback') await toStage(pool, schema, generation, 'kept');
  await changeRequest(pool, schema, id, end);
  if (end.state === 'switched') server.onSwitch();
  if (request?.kind === 'verify') server.onVerified({ ...request, ...end });
  server.changed();
  await tidy(server);
};

/** Ends what is under way when the operator says so. */
const watch = async (server: Server, id: number, cancelled: AbortController, ended: AbortSignal): Promise<void> => {
  while (!ended.aborted) {
    const decision = await decisionOf(server.pool, server.schema, id).catch(() => undefined);
    if (decision === 'cancel') cancelled.abort(new Cancelled());
    await pause(pollMs, ended);
  }
};

const serveOne = async (server: Server, request: ProjectionRequest): Promise<void> => {
  const { pool, schema, onFault } = server;
  const [cancelled, ended] = [new AbortController(), new AbortController()];
  const signal = AbortSignal.any([server.signal, cancelled.signal]);
  const change = (to: RequestChange): Promise<void> => changeRequest(pool, schema, request.id, to);
  let toldAt = -Infinity;
  // Now and then, and never in the way of the work.
  const moved = (events: Position): void => {
    const now = performance.now();
    if (now - toldAt < progressMs) return;
    toldAt = now;
    change({ events }).catch(onFault);
  };
  const watching = watch(server, request.id, cancelled, ended.signal);
  try {
    await finish(server, request, await carryOut(server, { request, signal, change, moved }));
  } catch (error) {
    if (server.signal.aborted || error instanceof LeaseLost) throw error;
    const end = await endOf(server, request, cancelled.signal.aborted ? cancelled.signal.reason : error);
    if (end === undefined) throw error;
    await finish(server, request, end);
  } finally {
    ended.abort();
    await watching;
  }
};

/** A new version fills its tables by itself, unless one of it is kept: then somebody went back from it. */
const askUpgrade = async (server: Server): Promise<void> => {
  const { pool, schema, projection, lease } = server;
  const { name, version } = projection;
  const live = await liveGeneration(pool, schema, name);
  const kept = await keptGenerations(pool, schema, name);
  if (live === undefined || live.version >= version || kept.some((each) => each.version === version)) return;
  const open = await openRequest(pool, schema, projection);
  if (open !== undefined && open.generation !== null) return;
  await dropKept(server);
  await inLease(pool, lease, async (tx) => {
    const { generation } = await createGeneration(tx, schema, projection, false);
    const by = { reason: `version ${version} of ${name}`, operator: 'upgrade' };
    await addRequest(tx, schema, { name, kind: 'upgrade', whenReady: 'switch', generation, ...by });
  });
};

/**
 * Carries out what operators ask of a projection, and what its own new version does, beside the live generation. What was
 * cut off by a fault or by the end of a process goes on where it was.
 */
export const serveRequests = async (server: Server, known: { isUpgradeAsked: boolean }): Promise<void> => {
  const { pool, schema, projection, signal, onFault } = server;
  while (!signal.aborted) {
    try {
      if (!known.isUpgradeAsked) await askUpgrade(server);
      known.isUpgradeAsked = true;
      const request = await openRequest(pool, schema, projection);
      if (request !== undefined) await serveOne(server, request);
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLost) return;
      onFault(error);
    }
    await pause(pollMs, signal);
  }
};
