import { pause } from '@causeway/concurrency';
import { beginning, type Position } from '@causeway/event-sourcing';
import { LeaseLost } from '@causeway/postgres';
import { liveGeneration } from './generation.ts';
import { differingParkings } from './parkings.ts';
import { approach, beginGeneration, fill, switchTo, type Place } from './rebuild.ts';
import { changeRequest, decisionOf, openRequest, type ProjectionRequest, type RequestChange } from './requests.ts';
import { compare } from './verify.ts';
import type { Target } from './write-batch.ts';

type Serve = Readonly<{
  signal: AbortSignal;
  /** The views show another generation now. */
  switched(): void;
  onFault(error: unknown): void;
}>;

const pollMs = 500;
/** How often progress is written down at most. */
const progressMs = 250;

/** Writes progress down now and then, never in the way of the work. */
const reporter = (place: Place, id: number, onFault: (error: unknown) => void) => {
  let last = -Infinity;
  return (events: Position): void => {
    const now = performance.now();
    if (now - last < progressMs) return;
    last = now;
    changeRequest(place.pool, place.schema, id, { events }).catch(onFault);
  };
};

const rebuild = async (target: Target, request: ProjectionRequest, serve: Serve): Promise<RequestChange> => {
  const { pool, schema, store } = target;
  const { signal } = serve;
  const change = (to: RequestChange): Promise<void> => changeRequest(pool, schema, request.id, to);
  await change({ state: 'building', total: await store.head() });
  const moved = reporter(target, request.id, serve.onFault);
  let position = await fill(target, { signal, moved, indexing: () => change({ state: 'indexing' }) });
  await change({ state: 'ready', events: position, total: position });
  for (;;) {
    const { own } = await differingParkings(pool, target, position);
    if (own.length > 0) return { state: 'failed', detail: `the live rows hold what these do not: ${own.join(', ')}` };
    const decision = await decisionOf(pool, schema, request.id);
    if (decision === 'drop') return { state: 'dropped' };
    if (decision === 'switch') break;
    await pause(pollMs, signal);
    position = await approach(target, position, { signal });
  }
  await switchTo(target, position, signal);
  serve.switched();
  return { state: 'switched' };
};

const verify = async (target: Target, request: ProjectionRequest, serve: Serve): Promise<RequestChange> => {
  const change = (to: RequestChange): Promise<void> => changeRequest(target.pool, target.schema, request.id, to);
  await change({ state: 'building' });
  const moved = reporter(target, request.id, serve.onFault);
  let end = beginning;
  const total = (position: Position): Promise<void> => {
    end = position;
    return change({ total: position });
  };
  const found = await compare(target, { signal: serve.signal, moved, total });
  if (found.length === 0) return { state: 'equal', events: end };
  return { state: 'different', events: end, detail: found.join('\n') };
};

const carryOut = async (place: Place, request: ProjectionRequest, serve: Serve): Promise<RequestChange> =>
  (request.kind === 'rebuild' ? rebuild : verify)(await beginGeneration(place), request, serve);

/** Of another version's rows nothing is asked of this one. */
const requestFor = async ({ pool, schema, projection: { name, version } }: Place) => {
  const request = await openRequest(pool, schema, name);
  const live = request && (await liveGeneration(pool, schema, name));
  return live?.version === version ? request : undefined;
};

/**
 * Carries out what operators ask of a projection, beside the live generation. What was cut off by a fault or by the end
 * of a process is begun again from nothing.
 */
export const serveRequests = async (place: Place, serve: Serve, tidy: () => Promise<void>): Promise<void> => {
  const { pool, schema } = place;
  const { signal } = serve;
  while (!signal.aborted) {
    try {
      const request = await requestFor(place);
      if (request !== undefined) {
        const outcome = await carryOut(place, request, serve);
        await changeRequest(pool, schema, request.id, outcome);
        await tidy();
      }
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLost) return;
      serve.onFault(error);
      await tidy().catch(serve.onFault);
    }
    await pause(pollMs, signal);
  }
};
