import { within } from '@causeway/concurrency';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** How far a service's loops are behind its own events. Asked for when somebody looks, not kept. */
export type Figures = Readonly<{
  /** Events that the service has recorded, those since erased included. */
  events: number;
  projections: readonly Readonly<{
    name: string;
    version: number;
    position: number;
    lagEvents: number;
    lagSeconds: number;
    parked: readonly unknown[];
    /** How its last verification ended, and how many rows are not what the events say. */
    verified?: Readonly<{ askedAt: number; outcome: string; differing: number }> | undefined;
  }>[];
  walks: readonly Readonly<{ name: string; position: number; lag: number }>[];
  /** How many connections have which status. Only of who owns them. */
  connections?: Readonly<Record<string, number>>;
  /** Days whose balances do not add up, once they are counted. Only of who keeps balances. */
  balanceDiscrepancies?: number;
}>;

type Outcome = 'done' | 'refused' | 'failed';

export type Metrics = Readonly<{
  /** A handler of ours has dealt with a message, or could not. */
  handled(type: string, outcome: Outcome, seconds: number): void;
  /** A command of ours was answered by another service, or was not. */
  asked(type: string, outcome: Outcome, seconds: number): void;
  published(topic: string, messages: number): void;
  /** A message that we could not handle was put among the dead letters. */
  setAside(topic: string, type: string): void;
  /** A message that none of ours made was passed over. */
  forged(topic: string): void;
  answered(request: Readonly<{ method: string; route: string; status: number }>, seconds: number): void;
  /** In Prometheus's text format. `read`: what is told of at this moment only; left out when it cannot be had. */
  text(read: () => Promise<Figures>): Promise<string>;
  contentType: string;
  /** From now on also of the process: event loop, heap, garbage collection, handles. */
  watchProcess(): void;
}>;

/** From a read that touches memory alone to the 10 s after which a client is told to come again. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Everything that is told of one service. */
export const openMetrics = (service: string): Metrics => {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  const seconds = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Histogram({ name, help, labelNames, buckets, registers: [registry] });

  const handled = seconds('causeway_message_handling_seconds', 'Handling of one message.', ['type', 'outcome']);
  const asked = seconds('causeway_command_seconds', 'From sending a command to its answer.', ['type', 'outcome']);
  const answered = seconds('causeway_http_request_seconds', 'HTTP requests.', ['method', 'route', 'status']);
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const published = counter('causeway_messages_published_total', 'Messages that the bus has taken over.', 'topic');
  const setAside = counter(
    'causeway_dead_letters_total',
    'Messages that could not be handled and were set aside.',
    ...(['topic', 'type'] as const),
  );
  const forged = counter(
    'causeway_forged_messages_total',
    'Messages that were passed over, since none of ours made them so.',
    'topic',
  );
  const show = figureGauges(registry);
  return {
    handled: (type, outcome, s) => handled.observe({ type, outcome }, s),
    asked: (type, outcome, s) => asked.observe({ type, outcome }, s),
    published: (topic, messages) => published.inc({ topic }, messages),
    setAside: (topic, type) => setAside.inc({ topic, type }),
    forged: (topic) => forged.inc({ topic }),
    answered: ({ method, route, status }, s) => answered.observe({ method, route, status: String(status) }, s),
    text: async (read) => {
      const figures = read().catch(() => undefined);
      show((await within(figuresWithinMs, figures))?.value);
      return registry.metrics();
    },
    contentType: registry.contentType,
    watchProcess: () => collectDefaultMetrics({ register: registry }),
  };
};

/** Prometheus gives up after 10 s by default; the rest must be told even while the database stands still. */
const figuresWithinMs = 3000;

type MakeGauge = <L extends string>(name: string, help: string, ...labelNames: L[]) => Gauge<L>;
const of = ['projection', 'version'] as const;

const verificationGauges = (gauge: MakeGauge): ((projections: Figures['projections']) => void) => {
  const verifiedAt = gauge(
    'causeway_projection_verified_seconds',
    'When it was last compared with the events, since 1970, by how that ended.',
    ...([...of, 'outcome'] as const),
  );
  const differing = gauge('causeway_projection_differing_rows', 'Rows that were not what the events say then.', ...of);
  return (projections) => {
    for (const each of [verifiedAt, differing]) each.reset();
    for (const { name, version, verified } of projections) {
      if (verified === undefined) continue;
      const labels = { projection: name, version };
      verifiedAt.set({ ...labels, outcome: verified.outcome }, verified.askedAt);
      differing.set(labels, verified.differing);
    }
  };
};

const figureGauges = (registry: Registry): ((figures: Figures | undefined) => void) => {
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const showVerified = verificationGauges(gauge);
  const known = gauge('causeway_figures_up', 'Whether the figures of the event store and its readers could be had.');
  const events = gauge('causeway_events', 'Events recorded, those since erased included.');
  const position = gauge('causeway_projection_position', 'The last event in the rows.', ...of);
  const lagEvents = gauge('causeway_projection_lag_events', 'Events not in the rows yet.', ...of);
  const lagSeconds = gauge('causeway_projection_lag_seconds', 'For how long the oldest of them has waited.', ...of);
  const parked = gauge('causeway_parked_streams', 'Streams with events that it cannot fold.', ...of);
  const walked = gauge('causeway_relay_position', 'The last event a relay or feed is done with.', 'name');
  const walkLag = gauge('causeway_relay_lag_events', 'Events it has still before it.', 'name');
  const connections = gauge('causeway_connections', 'Connections that have the status.', 'status');
  const discrepancies = gauge('causeway_balance_discrepancies', 'Days whose balances do not add up.');

  return (figures) => {
    known.set(figures === undefined ? 0 : 1);
    // What is not known now is left out: an old figure would look like one that stands still.
    for (const each of [events, position, lagEvents, lagSeconds, parked, walked, walkLag, connections]) each.reset();
    discrepancies.remove();
    showVerified(figures?.projections ?? []);
    if (figures === undefined) return events.remove();
    events.set(figures.events);
    if (figures.balanceDiscrepancies !== undefined) discrepancies.set(figures.balanceDiscrepancies);
    for (const { name, version, ...at } of figures.projections) {
      const labels = { projection: name, version };
      position.set(labels, at.position);
      lagEvents.set(labels, at.lagEvents);
      lagSeconds.set(labels, at.lagSeconds);
      parked.set(labels, at.parked.length);
    }
    for (const { name, position: done, lag } of figures.walks) {
      walked.set({ name }, done);
      walkLag.set({ name }, lag);
    }
    for (const [status, count] of Object.entries(figures.connections ?? {})) connections.set({ status }, count);
  };
};
