import { inLease, type PoolClient } from '@causeway/postgres';
import type { Position } from '@causeway/event-sourcing';
import { upTo } from './catch-up.ts';
import { shapeOf } from './comparison.ts';
import type { Only } from './differences.ts';
import { copyToLive } from './differing-rows.ts';
import { liveGeneration, type Standing } from './generation.ts';
import { Overtaken, release } from './hold.ts';
import { batchEvents } from './pace.ts';
import { heldStreams } from './parkings.ts';
import { differencesMax, tableOf } from './projection.ts';
import { reach } from './rebuild.ts';
import { changeRequest, type RequestChange } from './requests.ts';
import { correctAll, holding, Refused } from './switch.ts';
import { compare, isEqual, lookAt, rememberedMax, scoped, type Seen, type Verify } from './verify.ts';
import { writeOrParkIn, type Target } from './write-batch.ts';

/** Between two statements, the events of a batch are read. */
const betweenStatementsMs = 10_000;

const copyRows = async (tx: PoolClient, { schema, generation }: Target, live: Standing, only: Only): Promise<void> => {
  for (const [table, keys] of only) {
    const shape = await shapeOf(tx, tableOf(schema, live)(table), tableOf(schema, generation)(table));
    for (let i = 0; i < keys.length; i += differencesMax) {
      await copyToLive(tx, shape, keys.slice(i, i + differencesMax));
    }
  }
};

/** Folds into the held rows what lies between them and the last correction. */
const foldTo = async (tx: PoolClient, live: Target, from: Position, until: Position): Promise<void> => {
  for (let position = from; position < until;) {
    const batch = upTo(await live.store.readAll(position, batchEvents), until);
    await writeOrParkIn(tx, live, { from: position, batch });
    position = batch.position;
  }
};

type Mend = Readonly<{ id: number; only: Only; until: Position; end: RequestChange }>;

/**
 * Rows that differ become the shadow's in the commit that folds their corrections: nobody sees a mended one but at the
 * head of the feed.
 */
const mendRows = (target: Target, { id, only, until, end }: Mend): Promise<void> => {
  const { pool, schema, projection, lease } = target;
  return inLease(pool, lease, async (tx) => {
    await tx.query(`SET LOCAL idle_in_transaction_session_timeout = ${betweenStatementsMs}`);
    const live = await liveGeneration(tx, schema, projection.name, 'FOR UPDATE');
    if (live === undefined || live.heldFor !== id) throw new Overtaken(`${projection.name}: not held`);
    await copyRows(tx, target, live, only);
    const streams = await heldStreams(tx, { schema, generation: live }, live.position);
    const held = { ...target, generation: live, live: true, heldFor: id, parked: { streams } };
    await foldTo(tx, held, live.position, until);
    await tx.query(`UPDATE ${schema}.projection SET held_for = NULL WHERE name = $1 AND live`, [projection.name]);
    await changeRequest(tx, schema, id, end);
  });
};

/** Where the last correction is; where the live rows are, when there is nothing to tell. */
const corrected = async (target: Target, { request, change }: Verify, only: Only): Promise<Position | null> => {
  const { projection } = target;
  if (projection.correct === undefined || request.correctedTo !== null) return request.correctedTo;
  const keys = only.get(projection.tables[0] ?? '') ?? [];
  if (keys.length === 0) return null;
  const { correctedTo } = await correctAll(target, projection.correct, request.id, { keys });
  await change({ correctedTo });
  return correctedTo;
};

/**
 * Mends live rows that are not what the events say. They are held meanwhile; what can be seen of them is recorded as
 * corrections first. After a crash the same again goes on where it was.
 */
const mend = async (target: Target, verify: Verify, before: Seen): Promise<RequestChange> => {
  const { request, signal } = verify;
  if (before.only === undefined) throw new Refused(`more than ${rememberedMax} rows differ: rebuild them`);
  const position = await holding(target, verify);
  try {
    await reach(await scoped(target, request.scope), position, signal);
    const seen = await lookAt(target, { scope: request.scope, before });
    const found = seen.only ?? before.only;
    const until = (await corrected(target, verify, found)) ?? position;
    const end = { state: 'different', ...seen.counts } as const;
    await mendRows(target, { id: request.id, only: found, until, end });
    return end;
  } catch (error) {
    await release(target.pool, target.schema, request.id).catch(() => undefined);
    throw error;
  }
};

/** Compares, and mends what differs if the operator wants it. */
export const verify = async (target: Target, job: Verify): Promise<RequestChange> => {
  const { request, change, decided } = job;
  const isCorrecting = request.state === 'correcting';
  if (!isCorrecting) await change({ state: 'building' });
  const { events, position, ...seen } = await compare(target, job);
  const found = { events, ...seen.counts };
  if (isEqual(seen) && !isCorrecting) return { state: 'equal', ...found };
  if (!isCorrecting) {
    await change({ state: 'ready', ...found });
    if (!(await decided(await scoped(target, request.scope), position))) return { state: 'different', ...found };
  }
  return mend(target, job, seen);
};
