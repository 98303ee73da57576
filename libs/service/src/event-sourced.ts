import { noDataKeys, type DataKeys } from '@causeway/data-keys';
import type { EventStore, StreamName } from '@causeway/event-sourcing';
import {
  eventStoreMigrations,
  eventStoreSettings,
  openEventStore,
  startRetention,
  type EventStoreSettings,
} from '@causeway/event-stores';
import { DeadlineExceeded } from '@causeway/messaging';
import { logLevel, openLog } from '@causeway/observability';
import {
  leaseMigrations,
  migrate,
  openPool,
  serviceSchemaMigrations,
  type Migration,
  type Pool,
} from '@causeway/postgres';
import { projectionMigrations, projector, readModelsMigrations, type Projection } from '@causeway/projections';
import { readModelsSchema } from '@causeway/read-models';
import { integer, optional, required, secretsIn, type Environment, type SecretRing } from '@causeway/settings';
import { relayMigrations, type Walk } from '@causeway/subscriptions';
import { figuresOf, healthOf, type ServiceParts } from './service-module.ts';
import type { ServiceConfig } from './service.ts';

/** What every service with events of its own is told. */
export type EventSourcedConfig = ServiceConfig &
  Readonly<{
    eventStore: EventStoreSettings;
    /** How often read models are compared with their events; 0, or left out: only when somebody asks. */
    verifyIntervalSeconds?: number;
  }>;

/** And one that encrypts: its data keys are wrapped under these. */
export type EncryptingConfig = EventSourcedConfig & KeysPlace & Readonly<{ masterKeys: SecretRing }>;

/** Where data keys are; in the database of the events when left out. */
export type KeysPlace = Readonly<{ keysDatabaseUrl?: string | undefined }>;

/** A year. */
const verifyIntervalMaxSeconds = 366 * 86_400;

export const eventSourcedConfig = (env: Environment): EventSourcedConfig => ({
  databaseUrl: required(env, 'CAUSEWAY_DATABASE_URL'),
  eventStore: eventStoreSettings(env),
  verifyIntervalSeconds: integer(env, 'CAUSEWAY_VERIFY_INTERVAL_SECONDS', 0, { min: 0, max: verifyIntervalMaxSeconds }),
  logLevel: logLevel(env),
});

export const encryptingConfig = (env: Environment): EncryptingConfig => ({
  ...eventSourcedConfig(env),
  masterKeys: secretsIn(env, 'CAUSEWAY_MASTER_KEY'),
  keysDatabaseUrl: optional(env, 'CAUSEWAY_KEYS_DATABASE_URL'),
});

/** Where a service is in the database, by its name. */
export const placeOf = (service: string) => ({
  schema: service,
  eventsSchema: `${service}_events`,
  role: `causeway_${service}`,
});

/** What each of them needs in the database, and what is its own. Any number of processes may run it at once. */
export const migrateEventSourced = async (
  service: string,
  { databaseUrl }: Pick<ServiceConfig, 'databaseUrl'>,
  own: readonly Migration[],
): Promise<void> => {
  const { schema, eventsSchema, role } = placeOf(service);
  await migrate(databaseUrl, readModelsSchema, readModelsMigrations);
  await migrate(databaseUrl, eventsSchema, eventStoreMigrations(eventsSchema, role));
  await migrate(databaseUrl, schema, [
    ...serviceSchemaMigrations(schema, role),
    ...leaseMigrations(schema),
    ...relayMigrations(schema),
    ...projectionMigrations(schema),
    ...own,
  ]);
};

/** The same events but for the streams of one category. */
export const withoutCategory = (store: EventStore, category: string): EventStore => ({
  ...store,
  readAll: (after, limit) => store.readAll(after, limit, category),
});

const visibleWithinMs = 2000;
/** A deletion is answered once nothing of it can be read. Less than the 10 s that whoever asks waits for it. */
const hiddenWithinMs = 7000;
/** A key is remembered for a while: few are asked for at a time. */
const keyConnectionsMax = 4;

type Options = Readonly<{
  name: string;
  projections: readonly Projection[];
  /** None when left out. */
  dataKeysIn?: (pool: Pool) => DataKeys;
  /** The category of the streams that no read model is made of. */
  unprojected?: string;
  connectionsMax?: number;
  claimConnectionsMax?: number;
}>;

/** The sessions, the events and the read models of a service. */
export const openEventSourced = (config: EventSourcedConfig & KeysPlace, options: Options) => {
  const { name, projections, dataKeysIn, unprojected, connectionsMax = 10, claimConnectionsMax = 2 } = options;
  const { schema, eventsSchema, role } = placeOf(name);
  const log = openLog(name, config.logLevel);
  const session = { url: config.databaseUrl, applicationName: name, role };
  const pool = openPool({ ...session, connectionsMax });
  // Claims are renewed on sessions that no work can hold.
  const claims = openPool({ ...session, connectionsMax: claimConnectionsMax });
  const { keysDatabaseUrl: url } = config;
  const keyPool = url === undefined ? pool : openPool({ ...session, url, connectionsMax: keyConnectionsMax });
  const dataKeys = dataKeysIn?.(keyPool) ?? noDataKeys;
  const store = openEventStore(config.eventStore, { pool, schema: eventsSchema, dataKeys });
  const projected = unprojected === undefined ? store : withoutCategory(store, unprojected);
  const verifyEveryMs = (config.verifyIntervalSeconds ?? 0) * 1000;
  const readModels = projector({ pool, schema, store: projected, projections, log, verifyEveryMs });
  const names = projections.map((projection) => projection.name);
  return {
    ...{ schema, log, pool, keyPool, claims, dataKeys, store, projected, readModels },
    /** UTC, with milliseconds. */
    now: (): string => new Date().toISOString(),
    /** Resolves when what was appended before can be read, or after 2 s. */
    untilVisible: async (): Promise<void> => {
      if (!(await readModels.caughtUp(names, visibleWithinMs)))
        log.warn('answered before the read models had got there');
    },
    /** The same for what must not be read any more: within 7 s, and throws where the other gives up. */
    untilHidden: async (stream: StreamName): Promise<void> => {
      if ((await readModels.caughtUp(names, hiddenWithinMs)) && !(await readModels.holdsBack(stream))) return;
      throw new DeadlineExceeded('the read models still show what was deleted');
    },
  };
};

export type EventSourced = ReturnType<typeof openEventSourced>;

/** What goes on by itself from start to stop. */
export type Doings = Readonly<{
  walks: readonly Walk[];
  workers?: Readonly<{ stop(): Promise<void> }>;
  /** Deletes what nobody needs any more. */
  forgetOld?(): Promise<unknown>;
}>;

/** `begin` finds the read models there; `closeOwn` closes what the service has opened beside. */
export const lifeOf = (
  { schema, log, pool, keyPool, claims, store, projected, readModels }: EventSourced,
  begin: () => Doings,
  closeOwn = async (): Promise<unknown> => undefined,
): ServiceParts => {
  let doings: Doings = { walks: [] };
  let endRetention = (): void => undefined;
  /** Whoever stops it first begins it; all of them wait for the same end. */
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    endRetention();
    await Promise.all([...doings.walks.map((walk) => walk.stop()), doings.workers?.stop()]);
  };
  return {
    health: healthOf(readModels),
    figures: () => figuresOf({ pool, schema, store: projected, walks: doings.walks }),
    start: async () => {
      readModels.start();
      await readModels.made();
      doings = begin();
      const { forgetOld } = doings;
      if (forgetOld) endRetention = startRetention(forgetOld, (err) => log.warn({ err }, 'tried again later'));
    },
    stop: () => (stopped ??= stop()),
    close: async () => {
      await readModels.stop();
      await closeOwn();
      await store.close();
      await Promise.all([...new Set([pool, keyPool, claims])].map((each) => each.end()));
    },
  };
};
