import { connectors } from '@causeway/bank-connectors';
import {
  connectionsCommands,
  connectionsEvents,
  connectionsStatements,
  gatewayEvents,
  ledgerEvents,
} from '@causeway/contracts';
import { postgresDataKeys } from '@causeway/data-keys';
import { postgresSnapshots } from '@causeway/event-stores';
import type { Bus } from '@causeway/messaging';
import type { Pool } from '@causeway/postgres';
import { relay, startFeed } from '@causeway/subscriptions';
import { quota } from '@causeway/quotas';
import {
  CONNECTION_KEYS,
  lifeOf,
  messageService,
  openEventSourced,
  OWN,
  SERVICE,
  serviceModule,
  type Doings,
  type EventSourced,
  type ServiceParts,
} from '@causeway/service';
import { startWorkers, type Worker } from '@causeway/work-queue';
import { Module, type DynamicModule } from '@nestjs/common';
import { aggregatesIn } from './commands/aggregates.ts';
import { COMMANDS, CommandsController } from './commands/commands.controller.ts';
import { namesIn } from './commands/names.ts';
import { connectionsConfig, type ConnectionsConfig } from './config.ts';
import { EventsController, RUN_END } from './consumers/events.controller.ts';
import { migrateConnections, schema } from './migrations.ts';
import { accounts } from './projections/accounts/accounts.ts';
import { connections } from './projections/connections/connections.ts';
import { entities } from './projections/entities/entities.ts';
import { publishTo } from './publishing/publish.ts';
import { entityErasureWork } from './reactions/entity-erasure.ts';
import { erase } from './reactions/erasure.ts';
import { keptPages } from './reactions/kept-pages.ts';
import { forgetOld } from './reactions/retention.ts';
import { syncWork } from './reactions/schedule.ts';
import { verificationWork } from './reactions/verification.ts';
import {
  concernsWork,
  entityErasureKind,
  erasureKind,
  syncKind,
  takeWork,
  verificationKind,
} from './reactions/work.ts';

/** What the service listens to. */
export const connectionsTopics: readonly string[] = [connectionsCommands, gatewayEvents, ledgerEvents];

const PARTS = Symbol('parts');

/** Events of a batch of the relay: each may hold a part of a statement, half a megabyte and a third more as text. */
const relayBatchEvents = 8;
/** Runs that are fetched at once, in this process and for each environment. */
const syncsMax = 16;
const erasuresMax = 2;
/** Logins at once, likewise. */
const verificationsMax = 8;

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

const openConnections = (config: ConnectionsConfig): EventSourced =>
  openEventSourced(config, {
    ...{ name: 'connections', projections: [entities, connections, accounts] },
    // No read model is made of what banks sent, and a batch of it would not fit in memory.
    ...{ unprojected: 'sync', connectionsMax: 24 },
    dataKeysIn: (pool) => postgresDataKeys({ pool, masterKeys: config.masterKeys }),
  });

/** Parts that command handlers, consumers and reactions share. */
const partsIn = (config: ConnectionsConfig) => (own: EventSourced) => {
  const { pool, dataKeys, store } = own;
  const snapshots = postgresSnapshots(pool, schema);
  const aggregates = aggregatesIn({ store, snapshots, dataKeys });
  const { sandboxBankUrl: baseUrl, fileDropDir, cooldownSeconds, unbookedBytesMax, sealingKeys } = config;
  return {
    ...{ ...own, snapshots, aggregates, connectors, cooldownSeconds, unbookedBytesMax, sealingKeys },
    names: namesIn(aggregates, config.reservationSecret),
    quotas: quotasIn(pool, config),
    kept: keptPages(pool),
    intervalSeconds: config.syncIntervalSeconds,
    silenceMaxMs: config.syncSilenceSeconds * 1000,
    accessTo: (connectionId: string, institutionId: string) => ({ connectionId, institutionId, baseUrl, fileDropDir }),
  };
};

/** Whoever watches hears of those that somebody has to see to: `invalidConfig`, `reauthRequired`. */
const countsByStatus = async (pool: Pool): Promise<Readonly<Record<string, number>>> => {
  const sql = 'SELECT status, count(*) FROM read_models.connections_v1 GROUP BY status';
  const { rows } = await pool.query<{ status: string; count: number }>(sql);
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
};

type Parts = ReturnType<ReturnType<typeof partsIn>>;

/** Two, so that a long history on its way to the ledger delays no other message. */
const relaysOf = ({ pool, store, projected, log }: Parts, bus: Bus) => [
  relay({
    ...{ name: 'statements', store, pool, schema, bus, log, batchEvents: relayBatchEvents },
    publish: (event) => publishTo(connectionsStatements, event),
  }),
  relay({
    ...{ name: 'events', store: projected, pool, schema, bus, log },
    publish: (event) => publishTo(connectionsEvents, event),
  }),
];

/** The service's own doings: what there is to do follows from its events, and any replica does it. */
const begin = (parts: Parts, bus: Bus): Doings => {
  const { pool, claims, store, projected, log, intervalSeconds, now } = parts;
  const sync = { kind: syncKind, slots: syncsMax, work: syncWork(parts) };
  const erasing: Worker = {
    kind: erasureKind,
    slots: erasuresMax,
    work: async ({ id, organization, environment }) => {
      await erase(parts, id, { organization, environment });
      return 'done';
    },
  };
  const others: readonly Worker[] = [
    { kind: verificationKind, slots: verificationsMax, work: verificationWork(parts) },
    { kind: entityErasureKind, slots: erasuresMax, work: entityErasureWork(parts) },
  ];
  const workers = startWorkers({ pool: claims, schema, workers: [sync, erasing, ...others], log });
  const feed = startFeed({
    ...{ name: 'work', pool, schema, store: projected, log, fed: workers.wake },
    concerns: concernsWork,
    take: takeWork(intervalSeconds, now),
  });
  return { walks: [...relaysOf(parts, bus), feed], workers, forgetOld: () => forgetOld(pool, store, Date.now()) };
};

const lifeOn =
  (bus: Bus) =>
  (parts: Parts): ServiceParts => {
    const life = lifeOf(parts, () => begin(parts, bus));
    const figures = async () => ({ ...(await life.figures()), connections: await countsByStatus(parts.pool) });
    return { ...life, figures };
  };

/** The composition root: the one place where the parts meet, and the one that knows Nest. */
@Module({})
export class ConnectionsModule {
  static register(config: ConnectionsConfig, bus: Bus): DynamicModule {
    return serviceModule(ConnectionsModule, {
      controllers: [CommandsController, EventsController],
      providers: [
        { provide: OWN, useFactory: () => openConnections(config) },
        { provide: PARTS, inject: [OWN], useFactory: partsIn(config) },
        { provide: COMMANDS, useExisting: PARTS },
        { provide: RUN_END, useExisting: PARTS },
        { provide: CONNECTION_KEYS, inject: [OWN], useFactory: ({ dataKeys }: EventSourced) => dataKeys },
        { provide: SERVICE, inject: [PARTS], useFactory: lifeOn(bus) },
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
