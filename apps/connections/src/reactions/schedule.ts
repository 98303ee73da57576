import { isKnown, nextRunAt, type LastRun, type Scope } from '@causeway/domain/connections';
import type { Claim, Outcome } from '@causeway/work-queue';
import { ownContext } from '@causeway/service';
import { createHash } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';
import { isReadable } from './key-usability.ts';
import { fetchOpenRun } from './sync-run.ts';
import type { SyncParts } from './sync-parts.ts';

export type Schedule = Readonly<{
  /** 0: connections sync only when told to. */
  intervalSeconds: number;
  /** From the end of a run to the start of the next. */
  cooldownSeconds: Readonly<{ live: number; test: number }>;
}>;

/** Without a schedule, connections are looked at so often all the same, so that one that is set counts for all. */
const lookSeconds = 86_400;

/** When a connection whose run has ended is looked at again, in milliseconds since 1970. */
export const nextLookAt = (connectionId: string, last: LastRun, intervalSeconds: number, nowMs: number): number => {
  const spread = spreadOf(connectionId, last.endedAt);
  return nextRunAt(last, { intervalSeconds: intervalSeconds || lookSeconds, spread, nowMs });
};

/** From 0 to 1, the same for the same run. */
const spreadOf = (connectionId: string, endedAt: string): number =>
  createHash('sha256').update(`${connectionId} ${endedAt}`).digest().readUInt32BE() / 0xffffffff;

type Parts = SyncParts & Schedule;

/** One item is one connection: its open run is fetched, or the next one is begun if it is time. */
export const syncWork =
  (parts: Parts) =>
  async ({ id, organization, environment, throwIfLost }: Claim, signal: AbortSignal): Promise<Outcome> => {
    const hold = { signal, throwIfLost };
    if (await fetchOpenRun(parts, id, hold)) return 'done';
    const outcome = await beginNext(parts, id, { organization, environment });
    if (outcome !== 'begun') return outcome;
    await fetchOpenRun(parts, id, hold);
    return 'done';
  };

/** A refusal means that somebody was faster, that it has just been over, or that it does not sync any more. */
const beginNext = async (parts: Parts, connectionId: string, scope: Scope): Promise<Outcome | 'begun'> => {
  const { pool, aggregates, intervalSeconds, cooldownSeconds, now } = parts;
  const { state } = await aggregates.connectionNow(connectionId);
  if (!isKnown(state) || state.lastRun === null) return 'done';
  const at = now();
  const nowMs = Date.parse(at);
  const waitMs = nextLookAt(connectionId, state.lastRun, intervalSeconds, nowMs) - nowMs;
  if (waitMs > 0) return { againInMs: waitMs };
  if (intervalSeconds === 0) return { againInMs: lookSeconds * 1000 };
  if (!(await isReadable(pool, scope))) return { againInMs: intervalSeconds * 1000 };
  const its = { connectionId, at, scope, runId: uuidV7(), cooldownSeconds: cooldownSeconds[scope.environment] };
  const decision = await aggregates.connection({ type: 'StartSync', ...its, trigger: 'schedule' }, ownContext(scope));
  if (decision.outcome === 'accepted') return 'begun';
  const { rejection } = decision;
  return rejection.code === 'cooling_down' ? { againInMs: rejection.retryAfterSeconds * 1000 } : 'done';
};
