import { inLease, type PoolClient } from '@causeway/postgres';
import type { Position } from '@causeway/event-sourcing';
import { differencesOf, inSnapshot, type FoundDifference } from './differences.ts';
import type { Narrowed } from './differing-rows.ts';
import { boundLocks, liveGeneration, showGeneration, standingOf, type Standing } from './generation.ts';
import { endAbandonedHold, hold, Overtaken, release } from './hold.ts';
import { differingParkings, heldStreams } from './parkings.ts';
import { tableOf, type Difference, type Projection } from './projection.ts';
import { reach, whenFree } from './rebuild.ts';
import { beginCorrecting, changeRequest, requestById, type ProjectionRequest } from './requests.ts';
import type { Target } from './write-batch.ts';

/** Ends a request with a word: nothing is wrong with the live rows, and they go on. */
export class Refused extends Error {}

type Counts = Record<Difference['change'], number>;

/** What was found while both sides moved. `narrowed`: what it leaves to be looked at when they stand still. */
export type Found = Readonly<{ counts: Counts; narrowed: Narrowed }>;

/** More keys than these are not remembered: all rows are then compared once more. */
const keysMax = 50_000;

const countInto = (counts: Counts, found: readonly Difference[]): void => {
  for (const { change } of found) counts[change]++;
};

const isAny = ({ added, changed, removed }: Counts): boolean => added + changed + removed > 0;

const bothOf = async (tx: PoolClient, { schema, generation }: Target): Promise<readonly [Standing, Standing]> => {
  const live = await liveGeneration(tx, schema, generation.name);
  const next = await standingOf(tx, schema, generation);
  if (live === undefined || next === undefined) throw new Overtaken(`${generation.name}: a generation is gone`);
  return [live, next];
};

/** How the rows differ, but for what changes at this moment. */
export const look = ({ pool, ...target }: Target): Promise<Found> =>
  inSnapshot(pool, async (tx) => {
    const [live, next] = await bothOf(tx, { pool, ...target });
    const since = live.recordedAt < next.recordedAt ? live.recordedAt : next.recordedAt;
    const counts: Counts = { added: 0, changed: 0, removed: 0 };
    const keys: FoundDifference['key'][] = [];
    for await (const found of differencesOf(tx, { schema: target.schema, live, next })) {
      countInto(counts, found);
      if (keys.length <= keysMax) keys.push(...found.map(({ key }) => key));
    }
    return { counts, narrowed: keys.length > keysMax ? {} : { since, keys } };
  });

/** Rows differ, and nobody has said why. */
const checkReason = async ({ pool, schema }: Target, id: number): Promise<ProjectionRequest & { reason: string }> => {
  const request = await requestById(pool, schema, id);
  if (request === undefined || request.reason === null) throw new Refused('rows differ: a reason is needed');
  return { ...request, reason: request.reason };
};

type Correct = NonNullable<Projection['correct']>;

/**
 * Records what the live rows, held at the position of the next ones, show otherwise than those; how many, and where the
 * last is recorded. From the first of them on there is no way back.
 */
export const correctAll = async (target: Target, correct: Correct, id: number, narrowed: Narrowed) => {
  const { pool, schema, store, generation } = target;
  const counts: Counts = { added: 0, changed: 0, removed: 0 };
  let correctedTo: Position | null = null;
  await inSnapshot(pool, async (tx) => {
    const [live, next] = await bothOf(tx, target);
    if (live.position !== next.position || live.heldFor !== id) throw new Overtaken(`${generation.name}: not held`);
    const held = await heldStreams(tx, target, next.position);
    const between = { pool, store, live: tableOf(schema, live), next: tableOf(schema, next), held };
    for await (const found of differencesOf(tx, { schema, live, next, narrowed })) {
      const { reason, operator, correctionId } = await checkReason(target, id);
      if (!isAny(counts)) await beginCorrecting(pool, schema, id);
      countInto(counts, found);
      correctedTo = await correct(between, found, { id: correctionId, reason, operator: operator ?? '' });
    }
  });
  return { ...counts, correctedTo };
};

/** Takes the views over in one transaction with the word that it was done. */
const show = (target: Target, id: number): Promise<void> => {
  const { pool, schema, projection, lease, generation } = target;
  return inLease(pool, lease, async (tx) => {
    await boundLocks(tx);
    await liveGeneration(tx, schema, projection.name, 'FOR UPDATE');
    const [live, next] = await bothOf(tx, target);
    if (live.heldFor !== id || next.position < live.position) throw new Overtaken(`${projection.name}: not held`);
    const { live: differing } = await differingParkings(tx, target, next.position);
    if (projection.correct === undefined && differing.length > 0) {
      throw new Overtaken(`${projection.name}: not what the live rows show: ${differing.join(', ')}`);
    }
    await showGeneration(tx, schema, projection, generation);
    await changeRequest(tx, schema, id, { state: 'switched', events: next.position });
  });
};

type Switch = Readonly<{
  request: ProjectionRequest;
  signal: AbortSignal;
  /** None: after a crash that came between corrections, or where rows are just shown. */
  found?: Found;
}>;

export const holding = async (
  target: Target,
  { request, signal }: Pick<Switch, 'request' | 'signal'>,
): Promise<Position> =>
  whenFree(signal, async () => {
    const live = await liveGeneration(target.pool, target.schema, target.projection.name);
    if (live !== undefined && live.heldFor !== request.id) await endAbandonedHold(target.pool, target.schema, live);
    return hold(target, request);
  });

/** An upgrade goes on without the streams that it cannot fold: these are parked. What an operator asks for does not. */
const checkParked = async (target: Target, { request }: Switch, position: Position): Promise<void> => {
  if (request.kind === 'upgrade') return;
  const { own } = await differingParkings(target.pool, target, position);
  if (own.length > 0) throw new Refused(`the live rows hold what these do not: ${own.join(', ')}`);
};

/** Brings the next one to where the live one is held, and records what it shows otherwise. Where it has to be then. */
const corrected = async (target: Target, of: Switch, position: Position): Promise<Position> => {
  const { pool, schema, projection } = target;
  const { request, signal, found } = of;
  if (request.correctedTo !== null) return request.correctedTo;
  if (request.state !== 'correcting') await changeRequest(pool, schema, request.id, { state: 'switching' });
  await reach(target, position, signal);
  await checkParked(target, of, position);
  if (projection.correct === undefined) {
    if (found !== undefined && isAny(found.counts)) await checkReason(target, request.id);
    return position;
  }
  const narrowed = request.state === 'correcting' ? {} : (found?.narrowed ?? {});
  const { correctedTo, ...counts } = await correctAll(target, projection.correct, request.id, narrowed);
  await changeRequest(pool, schema, request.id, { ...counts, ...(correctedTo !== null && { correctedTo }) });
  return correctedTo ?? position;
};

/**
 * Makes a filled generation the live one. The live one is held meanwhile, so that what is corrected surfaces behind no
 * cursor, and no reader ever sees the projection go back. After a crash the same again goes on where it was.
 */
const switchOnce = async (target: Target, of: Switch): Promise<void> => {
  const { pool, schema } = target;
  const { request, signal } = of;
  const position = await holding(target, of);
  try {
    await reach(target, await corrected(target, of, position), signal);
    await show(target, request.id);
  } catch (error) {
    // What cannot be now is done by the next who looks.
    await release(pool, schema, request.id).catch(() => undefined);
    throw error;
  }
};

/** A reader of the views may take its time: the live one goes on meanwhile, unless corrections were recorded. */
export const switchTo = (target: Target, of: Switch): Promise<void> =>
  whenFree(of.signal, async () => {
    const request = await requestById(target.pool, target.schema, of.request.id);
    await switchOnce(target, { ...of, request: request ?? of.request });
  });
