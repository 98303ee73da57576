import { pause } from '@causeway/concurrency';
import type { EventStore, Position, StreamName } from '@causeway/event-sourcing';
import type { Logger } from '@causeway/observability';
import { runLeased, sqlName, type Pool } from '@causeway/postgres';
import { randomUUID } from 'node:crypto';
import { liveGeneration } from './generation.ts';
import { newProgress, type Progress, type State } from './progress.ts';
import { isParked, type ParkedStream } from './parkings.ts';
import { leaseName, type Projection } from './projection.ts';
import { scheduleVerifications } from './verifications.ts';
import type { ProjectionRequest } from './requests.ts';
import { runProjection, type Run } from './run.ts';

export type ProjectorOptions = Readonly<{
  /** Sessions of the service's role: it owns the tables and the views that it makes. */
  pool: Pool;
  schema: string;
  store: EventStore;
  projections: readonly Projection[];
  log: Logger;
  leaseTtlMs?: number;
  /** How often each read model is folded once more and compared. 0, or left out: only when somebody asks. */
  verifyEveryMs?: number;
}>;

export type ProjectionHealth = Readonly<{
  name: string;
  version: number;
  state: State;
  position: Position;
  /** Streams that wait to be mended: 0 where another process runs it. */
  parked: number;
  lastFault: string | null;
}>;

/**
 * Keeps the read models of a service. Any number of processes may run one: each projection has one runner at a time, and
 * what a runner still writes that has lost its lease is refused.
 */
export type Projector = Readonly<{
  start(): void;
  /** Resolves when every projection has its tables and views, made here or elsewhere; or when this is stopped. */
  made(): Promise<void>;
  /** Resolves when the batches under way are committed or given up. */
  stop(): Promise<void>;
  /** True as soon as the live rows hold everything up to the position; false when they do not in time. */
  passed(name: string, position: Position, timeoutMs: number): Promise<boolean>;
  /** The same for everything that was appended before the call, of all of these. */
  caughtUp(names: readonly string[], timeoutMs: number): Promise<boolean>;
  /** The live checkpoint, or one shortly before. */
  position(name: string): Promise<Position>;
  /** Whether the live rows hold back an event of this stream, wherever the checkpoint is. */
  holdsBack(stream: StreamName): Promise<boolean>;
  status(): readonly ProjectionHealth[];
}>;

/** How often the checkpoint is looked at while another process moves it. */
const elsewherePollMs = 20;

type Runner = Readonly<{ projection: Projection; progress: Progress }>;
type Surroundings = Pick<ProjectorOptions, 'pool' | 'schema' | 'store' | 'log' | 'leaseTtlMs'> &
  Readonly<{ holder: string; signal: AbortSignal }>;

const runLeasedProjection = ({ projection, progress }: Runner, around: Surroundings): Promise<void> => {
  const { pool, schema, store, log, leaseTtlMs, holder } = around;
  const { name, version } = projection;
  const onFault = (error: unknown): void => {
    progress.lastFault = error instanceof Error ? error.message : String(error);
    log.warn({ projection: name, err: error }, 'the projection pauses');
  };
  const onParked = (parked: ParkedStream): void =>
    log.error(parked, 'a stream is parked: an event of it cannot be folded');
  const onSwitch = (): void => log.info({ projection: name, version }, 'the views show a new generation');
  const onStalled = (live: number): void =>
    log.error(
      { projection: name, version, live },
      'the rows of another version stand still until those of this are made',
    );
  const ttl = leaseTtlMs && { ttlMs: leaseTtlMs };
  const leased: Run['leased'] = (of, signal, work) =>
    runLeased(pool, { schema, name: leaseName(name, of), holder, ...ttl, signal, onFault }, work);
  const onVerified = ({ state, whenReady, added, changed, removed }: ProjectionRequest): void => {
    const found = { projection: name, version, added, changed, removed };
    const isCorrected = whenReady === 'switch';
    if (state === 'failed') log.error(found, 'the rows could not be verified');
    if (state !== 'different') return;
    if (isCorrected) log.warn(found, 'rows were not what the events say, and were corrected');
    else log.error(found, 'rows are not what the events say');
  };
  const heard = { onFault, onSwitch, onParked, onStalled, onVerified };
  return leased(version, around.signal, async (lease, signal) => {
    try {
      const place = { pool, schema, store, projection, lease };
      await runProjection({ ...place, ...heard, progress, signal, leased });
    } finally {
      progress.state = 'waiting';
      progress.parked = { streams: new Set() };
    }
  });
};

const healthOf = ({ projection: { name, version }, progress }: Runner): ProjectionHealth => {
  const { state, position, parked, lastFault } = progress;
  return { name, version, state, position, parked: parked.streams.size, lastFault };
};

/** What is known of a projection's position, whichever process moves it. */
const positions = (pool: Pool, schema: string, runners: ReadonlyMap<string, Runner>) => {
  const progressOf = (name: string): Progress => {
    const runner = runners.get(name);
    if (runner === undefined) throw new Error(`no projection ${name} here`);
    return runner.progress;
  };

  const position = async (name: string): Promise<Position> => {
    const progress = progressOf(name);
    if (progress.state === 'following') return progress.position;
    const live = await liveGeneration(pool, schema, name);
    if (live !== undefined) progress.moved(live.position);
    return progress.position;
  };

  const passed: Projector['passed'] = async (name, wanted, timeoutMs) => {
    const progress = progressOf(name);
    const deadline = performance.now() + timeoutMs;
    while ((await position(name)) < wanted) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return false;
      await progress.nextMove(progress.state === 'following' ? leftMs : Math.min(elsewherePollMs, leftMs));
    }
    return true;
  };

  return { position, passed };
};

/** A database that does not answer has not said no: whoever waits goes on waiting. */
const isMade = async (pool: Pool, schema: string, name: string): Promise<boolean> =>
  (await liveGeneration(pool, schema, name).catch(() => undefined)) !== undefined;

export const projector = (options: ProjectorOptions): Projector => {
  const schema = sqlName(options.schema);
  const stopping = new AbortController();
  const runners = new Map<string, Runner>();
  for (const projection of options.projections) {
    runners.set(projection.name, { projection, progress: newProgress() });
  }
  const around = { ...options, schema, holder: randomUUID(), signal: stopping.signal };
  const known = positions(options.pool, schema, runners);
  let running: Promise<unknown> = Promise.resolve();
  return {
    start: () => {
      scheduleVerifications(around, options.verifyEveryMs ?? 0, (err) =>
        options.log.warn({ err }, 'tried again later'),
      );
      running = Promise.all([...runners.values()].map((runner) => runLeasedProjection(runner, around)));
    },
    made: async () => {
      for (const name of runners.keys()) {
        while (!stopping.signal.aborted && !(await isMade(options.pool, schema, name))) {
          await pause(elsewherePollMs, stopping.signal);
        }
      }
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
    ...known,
    caughtUp: async (names, timeoutMs) => {
      const head = await options.store.head();
      const passed = await Promise.all(names.map((name) => known.passed(name, head, timeoutMs)));
      return !passed.includes(false);
    },
    holdsBack: (stream) => isParked(options.pool, schema, [stream]),
    status: () => [...runners.values()].map(healthOf),
  };
};
