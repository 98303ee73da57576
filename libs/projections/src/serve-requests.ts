import { pause } from '@causeway/concurrency';
import type { Position } from '@causeway/event-sourcing';
import { LeaseLost } from '@causeway/postgres';
import { liveGeneration } from './generation.ts';
import { differingParkings } from './parkings.ts';
import { approach, beginGeneration, fill, switchTo, type Place } from './rebuild.ts';
import { changeRequest, decisionOf, openRequest, type ProjectionRequest, type RequestChange } from './requests.ts';
import { compare } from './verify.ts';
import type { Target } from './write-batch.ts';

type Serve = Readonly<{
  /** The views show another generation now. */
  switched(): void;
  tidy(): Promise<void>;
}>;

type Server = Place & Readonly<{ signal: AbortSignal; onFault(error: unknown): void }>;

type Job = Readonly<{
  id: number;
  signal: AbortSignal;
  change(to: RequestChange): Promise<void>;
  moved(events: Position): void;
}>;

const pollMs = 500;
/** How often progress is written down at most. */
const progressMs = 250;

const rebuild = async (target: Target, { id, signal, change, moved }: Job): Promise<RequestChange> => {
  const { pool, schema, store } = target;
  await change({ state: 'building', total: await store.head() });
  let position = await fill(target, { signal, moved, indexing: () => change({ state: 'indexing' }) });
  await change({ state: 'ready', events: position, total: position });
  for (;;) {
    const { own } = await differingParkings(pool, target, position);
    if (own.length > 0) return { state: 'failed', detail: `the live rows hold what these do not: ${own.join(', ')}` };
    const decision = await decisionOf(pool, schema, id);
    if (decision === 'drop') return { state: 'discarded' };
    if (decision === 'switch') break;
    await pause(pollMs, signal);
    position = await approach(target, position, { signal });
  }
  await switchTo(target, position, signal);
  return { state: 'switched' };
};

const verify = async (target: Target, { signal, change, moved }: Job): Promise<RequestChange> => {
  await change({ state: 'building' });
  const { position: events, found } = await compare(target, { signal, moved, total: (total) => change({ total }) });
  return found.length === 0 ? { state: 'equal', events } : { state: 'different', events, detail: found.join('\n') };
};

const carryOut = async (server: Server, { id, kind }: ProjectionRequest, { switched, tidy }: Serve): Promise<void> => {
  const { pool, schema, signal, onFault } = server;
  const change = (to: RequestChange): Promise<void> => changeRequest(pool, schema, id, to);
  let toldAt = -Infinity;
  // Now and then, and never in the way of the work.
  const moved = (events: Position): void => {
    const now = performance.now();
    if (now - toldAt < progressMs) return;
    toldAt = now;
    change({ events }).catch(onFault);
  };
  const target = await beginGeneration(server);
  const outcome = await (kind === 'rebuild' ? rebuild : verify)(target, { id, signal, change, moved });
  if (outcome.state === 'switched') switched();
  await change(outcome);
  await tidy();
};

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
export const serveRequests = async (server: Server, serve: Serve): Promise<void> => {
  const { signal, onFault } = server;
  while (!signal.aborted) {
    try {
      const request = await requestFor(server);
      if (request !== undefined) await carryOut(server, request, serve);
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLost) return;
      onFault(error);
      await serve.tidy().catch(onFault);
    }
    await pause(pollMs, signal);
  }
};
