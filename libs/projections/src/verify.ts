import { beginning, type EventStore, type Position, type Sequenced } from '@causeway/event-sourcing';
import { catchUp } from './catch-up.ts';
import { differencesOf, inSnapshot, type Compare, type Only } from './differences.ts';
import type { Key } from './differing-rows.ts';
import { liveGeneration, standingOf } from './generation.ts';
import { Overtaken } from './hold.ts';
import { considerate } from './pace.ts';
import { parkingStream } from './parking.ts';
import { columnOfScope, tableOf, type Difference, type Scope } from './projection.ts';
import { reach } from './rebuild.ts';
import type { ProjectionRequest, RequestChange } from './requests.ts';
import { Refused } from './switch.ts';
import type { Target } from './write-batch.ts';

export type Verify = Readonly<{
  request: ProjectionRequest;
  signal: AbortSignal;
  change(to: RequestChange): Promise<void>;
  moved(events: Position): void;
  /** Waits for the operator's word, while these rows, which have come so far, follow the live ones. */
  decided(target: Target, from: Position): Promise<boolean>;
}>;

/** More keys than these are not remembered. */
export const rememberedMax = 50_000;

/**
 * `only`: the rows that differ, unless they are too many. `isExact`: both sides stood at the same position; if not, what
 * changed after `since` has not been compared.
 */
export type Seen = Readonly<{
  counts: Record<Difference['change'], number>;
  only: Only | undefined;
  isExact: boolean;
  since: string;
}>;

export const isEqual = ({ counts: { added, changed, removed } }: Seen): boolean => added + changed + removed === 0;

/** `before`: what was seen before; only what that leaves open is looked at. */
type Look = Readonly<{ scope: Scope | null; before?: Seen | undefined }>;

const narrowedBy = ({ scope, before }: Look): Pick<Compare, 'narrowed' | 'only'> => {
  const of = scope && { scope: { column: columnOfScope[scope.of], value: scope.id } };
  if (before?.only === undefined) return { narrowed: { ...of } };
  return { narrowed: { ...of, since: before.since }, only: before.only };
};

/** How the live rows differ from the shadow's, also in what nobody is shown. */
export const lookAt = ({ pool, schema, generation }: Target, look: Look): Promise<Seen> =>
  inSnapshot(pool, async (tx) => {
    const live = await liveGeneration(tx, schema, generation.name);
    const next = await standingOf(tx, schema, generation);
    if (live === undefined || next === undefined) throw new Overtaken(`${generation.name}: a generation is gone`);
    const counts = { added: 0, changed: 0, removed: 0 };
    const differing = new Map<string, Key[]>();
    let remembered = 0;
    for await (const found of differencesOf(tx, { schema, live, next, whole: true, ...narrowedBy(look) })) {
      for (const { change, table, key } of found) {
        counts[change]++;
        if (++remembered > rememberedMax) continue;
        const known = differing.get(table);
        if (known === undefined) differing.set(table, [key]);
        else known.push(key);
      }
    }
    const isExact = live.position === next.position;
    const since = live.recordedAt < next.recordedAt ? live.recordedAt : next.recordedAt;
    return { counts, only: remembered > rememberedMax ? undefined : differing, isExact, since };
  });

/** The shadow of a scope is made from its streams alone, so that it costs no more than they are long. */
export const scoped = async (
  target: Target,
  scope: Scope | null,
  read: (events: readonly Sequenced[]) => void = () => undefined,
): Promise<Target> => {
  const { pool, schema, store, projection } = target;
  if (scope === null) return target;
  if (projection.streamsOf === undefined) throw new Refused('it is verified as a whole only');
  const live = await liveGeneration(pool, schema, projection.name);
  if (live === undefined) throw new Overtaken(`${projection.name}: nothing is live`);
  const named = await projection.streamsOf(pool, tableOf(schema, live), scope);
  if (named.length === 0) throw new Refused(`nothing is known of ${scope.of} ${scope.id}`);
  const streams = named.flatMap((stream) => [stream, parkingStream(stream)]);
  const readAll: EventStore['readAll'] = async (after, limit) => {
    const batch = await store.readStreams(streams, after, limit);
    read(batch.events);
    return batch;
  };
  return { ...target, store: { ...store, readAll } };
};

/** What changes while it is looked at is not compared, or may seem to differ: that much is looked at again. */
const looksMax = 5;

/** Events of a scope that were read; of the whole store, positions are. */
const eventCount = () => {
  let [events, last] = [0, beginning];
  return {
    read: (batch: readonly Sequenced[]): void => {
      for (const { position } of batch) if (position > last) [events, last] = [events + 1, position];
    },
    of: (scoped: boolean, until: Position): number => (scoped ? events : until),
  };
};

/**
 * Fills a shadow up to where the live rows are and compares them, without anybody standing still for it. `events`: that
 * were folded.
 */
export const compare = async (
  target: Target,
  { request: { scope }, signal, change, moved }: Verify,
): Promise<Seen & Readonly<{ events: number; position: Position }>> => {
  const { pool, schema, generation } = target;
  const pace = considerate(pool);
  const count = eventCount();
  let before: Seen | undefined;
  for (let look = 1; ; look++) {
    const until = (await liveGeneration(pool, schema, generation.name))?.position;
    const from = (await standingOf(pool, schema, generation))?.position;
    if (until === undefined || from === undefined) throw new Overtaken(`${generation.name}: a generation is gone`);
    await change({ total: until });
    const shadow = await scoped(target, scope, count.read);
    if (from < until) await catchUp(shadow, from, { signal, until, pace, moved });
    await reach(shadow, until, signal);
    const seen = await lookAt(target, { scope, before });
    if (seen.isExact || (isEqual(seen) && look > 1) || look === looksMax) {
      const events = count.of(shadow !== target, until);
      return { ...seen, events, position: until };
    }
    before = seen;
  }
};
