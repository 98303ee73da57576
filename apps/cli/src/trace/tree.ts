import { referenceOf } from '@causeway/domain/transfers';
import { categoryOf, idOf } from '@causeway/event-sourcing';
import type { TracedAppend } from '@causeway/event-stores';

/**
 * `operation`: what began was no request but a service or an operator. `message`: an event on its way to another service,
 * known by the event's id. `bankCall`: by what the bank knows it by, or the run that it was made for.
 */
export type EffectKind =
  'request' | 'operation' | 'command' | 'event' | 'message' | 'bankCall' | 'delivery' | 'attempt';

/** `name`: the event's type, the services of a message, what was asked of the bank, how an attempt ended. */
export type Effect = { id: string; kind: EffectKind; name: string; at: string; effects: Effect[] };

/** An append, and the service that it is of. */
export type ServiceAppend = TracedAppend & Readonly<{ service: string }>;

/** A delivery of what an event is told by to one webhook. `error` null: it was answered, or nobody knows how it ended. */
export type TracedDelivery = Readonly<{
  id: string;
  type: string;
  eventId: string;
  webhookId: string;
  createdAt: string;
  attempts: readonly Readonly<{ at: string; statusCode: number | null; error: string | null }>[];
}>;

export type Trail = Readonly<{
  correlationId: string;
  appends: readonly ServiceAppend[];
  deliveries: readonly TracedDelivery[];
}>;

/** An append of more is shown by the types of its events: a page of a statement holds hundreds. */
const shownMax = 8;

const effect = (kind: EffectKind, { id, name, at }: Omit<Effect, 'kind' | 'effects'>): Effect => ({
  ...{ id, kind, name, at },
  effects: [],
});

const countedName = (events: ServiceAppend['events'], type: string): string => {
  const count = events.filter((event) => event.type === type).length;
  return count === 1 ? type : `${type} × ${count}`;
};

/** The effects that show an append, and which of them shows which event. */
const eventsOf = ({ events, at }: ServiceAppend): ReadonlyMap<string, Effect> => {
  if (events.length <= shownMax) {
    return new Map(events.map(({ id, type }) => [id, effect('event', { id, name: type, at })]));
  }
  const byType = new Map<string, Effect>();
  const shown = new Map<string, Effect>();
  for (const { id, type } of events) {
    const one = byType.get(type) ?? effect('event', { id, name: countedName(events, type), at });
    byType.set(type, one);
    shown.set(id, one);
  }
  return shown;
};

/** What a bank was asked for, by the event that says so. */
const bankCallOf = (
  { type, data }: ServiceAppend['events'][number],
  { stream, at }: ServiceAppend,
): Effect | undefined => {
  const { runId, attempt } = data as Readonly<{ runId?: string; attempt?: number }>;
  if (type === 'SyncRequested') return effect('bankCall', { id: String(runId), name: 'fetch', at });
  if (type !== 'TransferExecutionStarted') return undefined;
  return effect('bankCall', { id: referenceOf(idOf(stream), attempt ?? 0), name: 'pay', at });
};

type Growing = Readonly<{
  root: Effect;
  /** By the ids of events: the effect that shows each, and its service. */
  events: Map<string, Readonly<{ shown: Effect; service: string }>>;
  /** What stands between them: commands, messages, calls of banks. */
  between: Map<string, Effect>;
}>;

/** One that is there already, or a new one under `parent`. */
const betweenOf = ({ between }: Growing, parent: Effect, one: Effect): Effect => {
  const key = `${one.kind} ${one.id} ${one.name}`;
  const there = between.get(key);
  if (there !== undefined) return there;
  between.set(key, one);
  parent.effects.push(one);
  return one;
};

/** What led to an append. */
const parentOf = (growing: Growing, { metadata, service, stream, at }: ServiceAppend): Effect => {
  const { root, events, between } = growing;
  const { causationId: id } = metadata;
  const cause = events.get(id);
  if (cause === undefined) {
    return id === root.id ? root : betweenOf(growing, root, effect('command', { id, name: service, at }));
  }
  if (categoryOf(stream) === 'sync') return between.get(`bankCall ${idOf(stream)} fetch`) ?? cause.shown;
  if (cause.service === service) return cause.shown;
  return betweenOf(growing, cause.shown, effect('message', { id, name: `${cause.service} → ${service}`, at }));
};

/** In the order in which they were stored: a call of a bank is there before what came of it. */
const grow = (root: Effect, appends: readonly ServiceAppend[]): Growing => {
  const growing: Growing = { root, events: new Map(), between: new Map() };
  const shown = new Map(appends.map((append) => [append, eventsOf(append)] as const));
  for (const [{ service }, byId] of shown) {
    for (const [id, one] of byId) growing.events.set(id, { shown: one, service });
  }
  for (const [append, byId] of shown) {
    const parent = parentOf(growing, append);
    parent.effects.push(...new Set(byId.values()));
    for (const event of append.events) {
      const [call, one] = [bankCallOf(event, append), byId.get(event.id)];
      if (call !== undefined && one !== undefined) betweenOf(growing, one, call);
    }
  }
  return growing;
};

const outcomeOf = ({ statusCode, error }: TracedDelivery['attempts'][number]): string =>
  error ?? (statusCode === null ? 'under way, or cut off' : `answered ${statusCode}`);

const deliveryOf = ({ id, type, webhookId, createdAt, attempts }: TracedDelivery): Effect => ({
  ...effect('delivery', { id, name: `${type} to ${webhookId}`, at: createdAt }),
  effects: attempts.map((attempt, n) =>
    effect('attempt', { id: `${id}/${webhookId}/${n + 1}`, name: outcomeOf(attempt), at: attempt.at }),
  ),
});

const inOrder = (one: Effect): void => {
  one.effects.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  one.effects.forEach(inOrder);
};

/** All that a request led to, from the request down. */
export const treeOf = ({ correlationId, appends, deliveries }: Trail): Effect => {
  const sorted = [...appends].sort((a, b) => (a.at < b.at ? -1 : 1));
  const root = effect('operation', {
    id: correlationId,
    name: '',
    at: sorted[0]?.at ?? deliveries[0]?.createdAt ?? '',
  });
  const { events } = grow(root, sorted);
  for (const delivery of deliveries) {
    (events.get(delivery.eventId)?.shown ?? root).effects.push(deliveryOf(delivery));
  }
  if (root.effects.some(({ kind }) => kind === 'command')) root.kind = 'request';
  inOrder(root);
  return root;
};
