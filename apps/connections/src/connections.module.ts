import { connectors } from '@causeway/bank-connectors';
import {
  connectionsCommands,
  connectionsEvents,
  connectionsStatements,
  gatewayEvents,
  ledgerEvents,
} from '@causeway/contracts';
import { postgresDataKeys } from '@causeway/data-keys';
import type { EventStore, StreamName } from '@causeway/event-sourcing';
import { openEventStore, postgresSnapshots, startRetention } from '@causeway/event-stores';
import { DeadlineExceeded, type Bus } from '@causeway/messaging';
import { openLog, type Logger } from '@causeway/observability';
import { openPool, type Pool } from '@causeway/postgres';
import { projector, type Projector } from '@causeway/projections';
import { relay, startFeed, type Walk } from '@causeway/subscriptions';
import { quota } from '@causeway/quotas';
import { figuresOf, healthOf, messageService, serviceModule } from '@causeway/service';
import { startWorkers, type Worker } from '@causeway/work-queue';
import { Module, type DynamicModule } from '@nestjs/common';
import { aggregatesIn } from './commands/aggregates.ts';
import { COMMANDS, CommandsController } from './commands/commands.controller.ts';
import type { Commands } from './commands/commands.ts';
import { namesIn } from './commands/names.ts';
import { connectionsConfig, type ConnectionsConfig } from './config.ts';
import { EventsController, RUN_END } from './consumers/events.controller.ts';
import { eventsSchema, migrateConnections, role, schema } from './migrations.ts';
import { accounts } from './projections/accounts/accounts.ts';
import { connections } from './projections/connections/connections.ts';
import { entities } from './projections/entities/entities.ts';
import { publishTo } from './publishing/publish.ts';
import { erase } from './reactions/erasure.ts';
import { keptPages } from './reactions/kept-pages.ts';
import { forgetOld } from './reactions/retention.ts';
import { syncWork, type Schedule } from './reactions/schedule.ts';
import type { SyncParts } from './reactions/sync-run.ts';
import { concernsWork, erasureKind, syncKind, takeWork } from './reactions/work.ts';

/** What the service listens to. */
export const connectionsTopics: readonly string[] = [connectionsCommands, gatewayEvents, ledgerEvents];

const projections = [entities, connections, accounts];
const visibleWithinMs = 2000;
/** A deletion is answered once nothing of it can be read. Less than the 10 s that whoever asks waits for it. */
const hiddenWithinMs = 7000;
/** Events of a batch of the relay: each may hold a part of a statement, half a megabyte and a third more as text. */
const relayBatchEvents = 8;
/** Runs that are fetched at once, in this process and for each environment. */
const syncsMax = 16;
const erasuresMax = 2;

const quotasIn = (pool: Pool, { entitiesMax, connectionsMax }: ConnectionsConfig) => ({
  entities: quota({
    ...{ pool, schema, name: 'entities', limit: entitiesMax, perEnvironment: false },
    ...{ view: 'read_models.entities_v1', idColumn: 'entity_id' },
  }),
  connections: quota({
    ...{ pool, schema, name: 'connections', limit: connectionsMax, perEnvironment: true },
    view: 'read_models.connections_v1',
  }),
});

/** Parts that command handlers, consumers and reactions share. */
const sharedParts = (config: ConnectionsConfig, log: Logger) => {
  const pool = openPool({ url: config.databaseUrl, applicationName: 'connections', role, connectionsMax: 24 });
  const dataKeys = postgresDataKeys({ pool, masterKey: config.masterKey });
  const store = openEventStore(config.eventStore, { pool, schema: eventsSchema, dataKeys });
  const snapshots = postgresSnapshots(pool, schema);
  const aggregates = aggregatesIn({ store, snapshots, dataKeys });
  const { sandboxBankUrl: baseUrl, fileDropDir, cooldownSeconds, unbookedBytesMax } = config;
  return {
    ...{ pool, dataKeys, store, snapshots, aggregates, connectors, cooldownSeconds, unbookedBytesMax, log },
    names: namesIn(aggregates, config.masterKey),
    quotas: quotasIn(pool, config),
    kept: keptPages(pool),
    intervalSeconds: config.syncIntervalSeconds,
    silenceMaxMs: config.syncSilenceSeconds * 1000,
    accessTo: (connectionId: string, institutionId: string) => ({ connectionId, institutionId, baseUrl, fileDropDir }),
    now: (): string => new Date().toISOString(),
  };
};

/** Until what was appended before can be read, or cannot be read any more. */
const waits = (readModels: Projector, log: Logger) => {
  const names = projections.map(({ name }) => name);
  return {
    untilVisible: async (): Promise<void> => {
      if (!(await readModels.caughtUp(names, visibleWithinMs)))
        log.warn('answered before the read models had got there');
    },
    untilHidden: async (stream: StreamName): Promise<void> => {
      if ((await readModels.caughtUp(names, hiddenWithinMs)) && !(await readModels.holdsBack(stream))) return;
      throw new DeadlineExceeded('the read models still show what was deleted');
    },
  };
};

/** Everything of the service that does not know Nest. */
const compose = (config: ConnectionsConfig, bus: Bus) => {
  const log = openLog('connections', config.logLevel);
  const parts = sharedParts(config, log);
  const { pool, store } = parts;
  const readModels = projector({ pool, schema, store: withoutEvidence(store), projections, log });
  const commands: Commands = { ...parts, ...waits(readModels, log) };
  const running = { walks: [] as Walk[], engines: [] as Engine[], endRetention: (): void => undefined };

  const start = async (): Promise<void> => {
    const { statements, events } = relaysOf({ pool, store, log }, bus);
    readModels.start();
    await readModels.made();
    const { engine, feed } = startEngine(parts, config, log);
    running.walks = [statements, events, feed];
    running.engines = [engine];
    const forget = () => forgetOld(pool, store, Date.now());
    running.endRetention = startRetention(forget, (err) => log.warn({ err }, 'tried again later'));
  };
  const stop = async (): Promise<void> => {
    running.endRetention();
    await Promise.all(running.engines.map((engine) => engine.stop()));
    await Promise.all(running.walks.map((walk) => walk.stop()));
  };
  const close = async (): Promise<void> => {
    await readModels.stop();
    await store.close();
    await pool.end();
  };
  const figures = () => figuresOf({ pool, schema, store: withoutEvidence(store), walks: running.walks });
  return { commands, runEnd: parts, health: healthOf(readModels), figures, start, stop, close };
};

/** Two, so that a long history on its way to the ledger delays no other message. */
const relaysOf = ({ store, ...own }: Readonly<{ pool: Pool; store: EventStore; log: Logger }>, bus: Bus) => {
  const place = { ...own, schema, bus };
  const statements = relay({
    ...{ ...place, name: 'statements', store, batchEvents: relayBatchEvents },
    publish: (event) => publishTo(connectionsStatements, event),
  });
  const events = relay({
    ...{ ...place, name: 'events', store: withoutEvidence(store) },
    publish: (event) => publishTo(connectionsEvents, event),
  });
  return { statements, events };
};

/** No read model is made of what banks sent, and a batch of it would not fit in memory. */
const withoutEvidence = (store: EventStore): EventStore => ({
  ...store,
  readAll: (after, limit) => store.readAll(after, limit, 'sync'),
});

type Engine = Readonly<{ stop(): Promise<void> }>;
type EngineParts = SyncParts & Schedule & Parameters<typeof erase>[0];

/** The service's own doings: what there is to do follows from its events, and any replica does it. */
const startEngine = (parts: EngineParts, { databaseUrl }: ConnectionsConfig, log: Logger) => {
  const { pool, store, intervalSeconds, now } = parts;
  // Claims are renewed on sessions that no work can hold.
  const claims = openPool({ url: databaseUrl, applicationName: 'connections', role, connectionsMax: 2 });
  const sync = { kind: syncKind, slots: syncsMax, work: syncWork(parts) };
  const erasing: Worker = {
    kind: erasureKind,
    slots: erasuresMax,
    work: async ({ id, organization, environment }) => {
      await erase(parts, id, { organization, environment });
      return 'done';
    },
  };
  const workers = startWorkers({ pool: claims, schema, workers: [sync, erasing], log });
  const feed = startFeed({
    ...{ name: 'work', pool, schema, store: withoutEvidence(store), log },
    concerns: concernsWork,
    take: takeWork(intervalSeconds, now),
    fed: () => workers.wake(),
  });
  const stop = async (): Promise<void> => {
    await workers.stop();
    await claims.end();
  };
  return { feed, engine: { stop } };
};

type Parts = ReturnType<typeof compose>;

/** The composition root: the one place where the parts meet, and the one that knows Nest. */
@Module({})
export class ConnectionsModule {
  static register(config: ConnectionsConfig, bus: Bus): DynamicModule {
    return serviceModule(ConnectionsModule, {
      controllers: [CommandsController, EventsController],
      open: () => compose(config, bus),
      offers: [
        [COMMANDS, ({ commands }: Parts) => commands],
        [RUN_END, ({ runEnd }: Parts) => runEnd],
      ],
    });
  }
}

export const connectionsService = messageService<ConnectionsConfig>({
  name: 'connections',
  healthPort: 3002,
  topics: connectionsTopics,
  config: connectionsConfig,
  migrate: migrateConnections,
  module: (config, bus) => ConnectionsModule.register(config, bus),
});
