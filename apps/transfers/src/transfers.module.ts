import { connectors } from '@causeway/bank-connectors';
import { transfersCommands } from '@causeway/contracts';
import { postgresDataKeys } from '@causeway/data-keys';
import { openEventStore } from '@causeway/event-stores';
import type { TransferEvent } from '@causeway/domain/transfers';
import type { Sequenced } from '@causeway/event-sourcing';
import { openLog } from '@causeway/observability';
import { openPool } from '@causeway/postgres';
import { projector } from '@causeway/projections';
import { quota } from '@causeway/quotas';
import { figuresOf, healthOf, messageService, serviceModule } from '@causeway/service';
import { startFeed } from '@causeway/subscriptions';
import { putWork, startWorkers } from '@causeway/work-queue';
import { Module, type DynamicModule } from '@nestjs/common';
import { sidesIn } from './commands/accounts.ts';
import { aggregatesIn } from './commands/aggregates.ts';
import { COMMANDS, CommandsController } from './commands/commands.controller.ts';
import type { Commands } from './commands/commands.ts';
import { paymentsVia } from './commands/payments.ts';
import { transfersConfig, type TransfersConfig } from './config.ts';
import { transfersIn } from './reactions/load.ts';
import { isQueued, itemOf, transferWorker } from './reactions/work.ts';
import { eventsSchema, migrateTransfers, role, schema } from './migrations.ts';
import { isOpen, transfers } from './projections/transfers/transfers.ts';

/** What the service listens to. */
export const transfersTopics: readonly string[] = [transfersCommands];

const visibleWithinMs = 2000;

/** Parts that command handlers and workers share. */
const sharedParts = (config: TransfersConfig) => {
  const log = openLog('transfers', config.logLevel);
  const session = { url: config.databaseUrl, applicationName: 'transfers', role };
  const pool = openPool({ ...session, connectionsMax: 13 });
  // Claims are renewed in time, however busy the others are.
  const workPool = openPool({ ...session, connectionsMax: 3 });
  // Nothing of a transfer is bank data of a connection: it stays when the connection goes.
  const dataKeys = postgresDataKeys({ pool, masterKey: config.masterKey });
  const store = openEventStore(config.eventStore, { pool, schema: eventsSchema, dataKeys });
  const { sandboxBankUrl: baseUrl, fileDropDir } = config;
  return {
    ...{ log, pool, workPool, store, aggregates: aggregatesIn(store), paymentsAt: paymentsVia(connectors) },
    ...{ sidesOf: sidesIn(pool), transfers: transfersIn(store) },
    openTransfers: quota({
      ...{ pool, schema, name: 'openTransfers', limit: config.openTransfersMax, perEnvironment: true },
      ...{ view: 'read_models.transfers_v1', counted: isOpen },
    }),
    accessTo: (connectionId: string, institutionId: string) => ({ connectionId, institutionId, baseUrl, fileDropDir }),
    now: (): string => new Date().toISOString(),
  };
};

type SharedParts = ReturnType<typeof sharedParts>;

/** Transfers are executed and asked about by whichever process gets to them; what is queued becomes work by one of them. */
const startExecution = (parts: SharedParts, { deniedSeconds }: TransfersConfig) => {
  const { log, pool, workPool, store } = parts;
  const workers = startWorkers({ pool: workPool, schema, workers: [transferWorker(parts, deniedSeconds * 1000)], log });
  const itemFor = itemOf(parts);
  const feed = startFeed({
    ...{ name: 'queued', store, pool, schema, log, concerns: isQueued, fed: workers.wake },
    take: async (tx, events) => {
      await putWork(tx, schema, events.map(itemFor));
      for (const event of events) parts.transfers.remember(event as Sequenced<TransferEvent>);
    },
  });
  const stop = async (): Promise<void> => void (await Promise.all([feed.stop(), workers.stop()]));
  return { feed, stop };
};

/** Everything of the service that does not know Nest. */
const compose = (config: TransfersConfig) => {
  const parts = sharedParts(config);
  const { log, pool, workPool, store } = parts;
  const readModels = projector({ pool, schema, store, projections: [transfers], log });
  let execution: ReturnType<typeof startExecution> | undefined;

  const untilVisible = async (): Promise<void> => {
    const shown = await readModels.caughtUp([transfers.name], visibleWithinMs);
    if (!shown) log.warn('answered before the read model had got there');
  };
  const commands: Commands = { ...parts, untilVisible };

  const start = async (): Promise<void> => {
    readModels.start();
    await readModels.made();
    execution = startExecution(parts, config);
  };
  const stop = async (): Promise<void> => execution?.stop();
  const close = async (): Promise<void> => {
    await readModels.stop();
    await store.close();
    await Promise.all([pool.end(), workPool.end()]);
  };
  const walks = () => (execution === undefined ? [] : [execution.feed]);
  const figures = () => figuresOf({ pool, schema, store, walks: walks() });
  return { commands, health: healthOf(readModels), figures, start, stop, close };
};

type Parts = ReturnType<typeof compose>;

/** The composition root: the one place where the parts meet, and the one that knows Nest. */
@Module({})
export class TransfersModule {
  /** Nothing of this service leaves it yet, so it needs no bus: whichever transport brings it messages. */
  static register(config: TransfersConfig): DynamicModule {
    return serviceModule(TransfersModule, {
      controllers: [CommandsController],
      open: () => compose(config),
      offers: [[COMMANDS, ({ commands }: Parts) => commands]],
    });
  }
}

export const transfersService = messageService<TransfersConfig>({
  name: 'transfers',
  healthPort: 3004,
  topics: transfersTopics,
  config: transfersConfig,
  migrate: migrateTransfers,
  module: (config) => TransfersModule.register(config),
});
