import { connectors, type BankSession } from '@causeway/bank-connectors';
import {
  connectionsCommands,
  connectionsEvents,
  connectionsStatements,
  gatewayEvents,
  ledgerEvents,
} from '@causeway/contracts';
import { postgresDataKeys } from '@causeway/data-keys';
import type { EventStore } from '@causeway/event-sourcing';
import { openEventStore } from '@causeway/event-stores';
import { DeadlineExceeded, type Bus } from '@causeway/messaging';
import { openLog, type Logger } from '@causeway/observability';
import { openPool, startWorkList, type Pool, type WorkList } from '@causeway/postgres';
import { projector, type Projector } from '@causeway/projections';
import { readCheckpoint, relay, type Walk } from '@causeway/subscriptions';
import { figuresOf, healthOf, messageService, serviceModule } from '@causeway/service';
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
import { erasures } from './projections/erasures/erasures.ts';
import { publishTo } from './publishing/publish.ts';
import { erase, openErasures } from './reactions/erasure.ts';
import { keptPages } from './reactions/kept-pages.ts';
import { dueConnections, openRuns, startDue } from './reactions/schedule.ts';
import { syncRun, type SyncParts } from './reactions/sync-run.ts';

/** What the service listens to. */
export const connectionsTopics: readonly string[] = [connectionsCommands, gatewayEvents, ledgerEvents];

const readable = [entities, connections, accounts];
const projections = [...readable, erasures];
const visibleWithinMs = 2000;
/** A deletion is answered once nothing of it can be read. Less than the 10 s that whoever asks waits for it. */
const hiddenWithinMs = 7000;
/** Events of a batch of the relay: each may hold a part of a statement, half a megabyte and a third more as text. */
const relayBatchEvents = 8;
const statementsRelay = 'statements';
const runsMax = 16;
const erasuresMax = 2;
const schedulePollMs = 1000;
const runsPollMs = 500;

/** Parts that command handlers, consumers and reactions share. */
const sharedParts = (config: ConnectionsConfig) => {
  const pool = openPool({ url: config.databaseUrl, applicationName: 'connections', role, connectionsMax: 24 });
  const dataKeys = postgresDataKeys({ pool, masterKey: config.masterKey });
  const store = openEventStore(config.eventStore, { pool, schema: eventsSchema, dataKeys });
  const { sandboxBankUrl: baseUrl, fileDropDir } = config;
  return {
    ...{ pool, dataKeys, store, connectors },
    aggregates: aggregatesIn(store),
    kept: keptPages(pool),
    sessions: new Map<string, BankSession>(),
    accessTo: (connectionId: string, institutionId: string) => ({ connectionId, institutionId, baseUrl, fileDropDir }),
    now: (): string => new Date().toISOString(),
  };
};

/** Until what was appended before can be read, or cannot be read any more. */
const waits = (readModels: Projector, log: Logger) => {
  const names = readable.map(({ name }) => name);
  return {
    untilVisible: async (): Promise<void> => {
      if (!(await readModels.caughtUp(names, visibleWithinMs)))
        log.warn('answered before the read models had got there');
    },
    untilHidden: async (): Promise<void> => {
      if (await readModels.caughtUp(names, hiddenWithinMs)) return;
      throw new DeadlineExceeded('the read models still show what was deleted');
    },
  };
};

/** Everything of the service that does not know Nest. */
const compose = (config: ConnectionsConfig, bus: Bus) => {
  const log = openLog('connections', config.logLevel);
  const parts = sharedParts(config);
  const { pool, store, aggregates } = parts;
  const readModels = projector({ pool, schema, store: withoutEvidence(store), projections, log });
  const loops = { relays: [] as Walk[], lists: [] as WorkList[] };

  const runRequested = (): void => loops.lists.forEach((list) => list.wake());
  const names = namesIn(aggregates, config.masterKey);
  const { cooldownSeconds } = config;
  const commands: Commands = { ...parts, ...waits(readModels, log), names, cooldownSeconds, runRequested };

  const start = async (): Promise<void> => {
    const { statements, events } = relaysOf({ pool, store, log }, bus);
    const published = () => readCheckpoint(pool, { schema, name: statementsRelay });
    const silenceMaxMs = config.syncSilenceSeconds * 1000;
    readModels.start();
    await readModels.made();
    loops.relays = [statements, events];
    loops.lists = workLists({ ...parts, published, silenceMaxMs }, commands, config, log);
  };
  const stop = async (): Promise<void> => {
    await Promise.all(loops.lists.map((list) => list.stop()));
    await Promise.all(loops.relays.map((outbox) => outbox.stop()));
  };
  const close = async (): Promise<void> => {
    await readModels.stop();
    await store.close();
    await pool.end();
  };
  const figures = () => figuresOf({ pool, schema, store: withoutEvidence(store), walks: loops.relays });
  return { commands, runEnd: parts, health: healthOf(readModels), figures, start, stop, close };
};

/** Two, so that a long history on its way to the ledger delays no other message. */
const relaysOf = ({ store, ...own }: Readonly<{ pool: Pool; store: EventStore; log: Logger }>, bus: Bus) => {
  const place = { ...own, schema, bus };
  const statements = relay({
    ...{ ...place, name: statementsRelay, store, batchEvents: relayBatchEvents },
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

/** The service's own doings: each begins again after a crash from what the read models show. */
const workLists = (
  parts: SyncParts,
  commands: Commands,
  { syncIntervalSeconds }: ConnectionsConfig,
  log: ReturnType<typeof openLog>,
): WorkList[] => {
  const { pool, now } = parts;
  const work = { pool, schema, onFault: (err: unknown) => log.warn({ err }, 'tried again later') };
  const runs = startWorkList({
    ...work,
    name: 'sync runs',
    list: () => openRuns(pool),
    idOf: ({ runId }) => runId,
    work: syncRun(parts),
    concurrencyMax: runsMax,
    pollMs: runsPollMs,
  });
  const erasing = startWorkList({
    ...work,
    name: 'erasures',
    list: () => openErasures(pool),
    idOf: ({ connectionId }) => connectionId,
    work: (erasure) => erase(parts, erasure),
    concurrencyMax: erasuresMax,
    pollMs: runsPollMs,
  });
  if (syncIntervalSeconds === 0) return [runs, erasing];
  const schedule = startWorkList({
    ...work,
    name: 'schedule',
    list: () => dueConnections(pool, syncIntervalSeconds, now()),
    idOf: ({ connectionId }) => connectionId,
    work: (due) => startDue(commands, due),
    concurrencyMax: runsMax,
    pollMs: schedulePollMs,
  });
  return [runs, erasing, schedule];
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
