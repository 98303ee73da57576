import { connectors } from '@causeway/bank-connectors';
import { transfersCommands } from '@causeway/contracts';
import { postgresDataKeys } from '@causeway/data-keys';
import { openEventStore } from '@causeway/event-stores';
import { openLog } from '@causeway/observability';
import { openPool, startWorkList, type WorkList } from '@causeway/postgres';
import { projector } from '@causeway/projections';
import { figuresOf, healthOf, messageService, serviceModule } from '@causeway/service';
import { Module, type DynamicModule } from '@nestjs/common';
import { aggregatesIn } from './commands/aggregates.ts';
import { COMMANDS, CommandsController } from './commands/commands.controller.ts';
import type { Commands } from './commands/commands.ts';
import { paymentsVia } from './commands/payments.ts';
import { transfersConfig, type TransfersConfig } from './config.ts';
import { eventsSchema, migrateTransfers, role, schema } from './migrations.ts';
import { transfers } from './projections/transfers/transfers.ts';
import { asker } from './reactions/ask.ts';
import { execute, type ExecutionParts } from './reactions/execute.ts';
import { executable, unanswered, type OpenTransfer } from './reactions/open-transfers.ts';

/** What the service listens to. */
export const transfersTopics: readonly string[] = [transfersCommands];

const visibleWithinMs = 2000;
const executionsMax = 32;
const questionsMax = 8;
const executionPollMs = 500;
const questionPollMs = 500;

/** Parts that command handlers and reactions share. */
const sharedParts = (config: TransfersConfig) => {
  const log = openLog('transfers', config.logLevel);
  const pool = openPool({ url: config.databaseUrl, applicationName: 'transfers', role, connectionsMax: 16 });
  // Nothing of a transfer is bank data of a connection: it stays when the connection goes.
  const dataKeys = postgresDataKeys({ pool, masterKey: config.masterKey });
  const store = openEventStore(config.eventStore, { pool, schema: eventsSchema, dataKeys });
  const { sandboxBankUrl: baseUrl, fileDropDir } = config;
  return {
    ...{ log, pool, store, aggregates: aggregatesIn(store), paymentsAt: paymentsVia(connectors) },
    accessTo: (connectionId: string, institutionId: string) => ({ connectionId, institutionId, baseUrl, fileDropDir }),
    now: (): string => new Date().toISOString(),
  };
};

/** Everything of the service that does not know Nest. */
const compose = (config: TransfersConfig) => {
  const parts = sharedParts(config);
  const { log, pool, store } = parts;
  const readModels = projector({ pool, schema, store, projections: [transfers], log });
  let lists: readonly WorkList[] = [];

  const untilVisible = async (): Promise<void> => {
    const shown = await readModels.caughtUp([transfers.name], visibleWithinMs);
    if (!shown) log.warn('answered before the read model had got there');
  };
  const queued = (): void => lists.forEach((list) => list.wake());
  const commands: Commands = { ...parts, untilVisible, queued };

  const start = async (): Promise<void> => {
    readModels.start();
    await readModels.made();
    lists = workLists(parts, config, (err) => log.warn({ err }, 'tried again later'));
  };
  const stop = async (): Promise<void> => void (await Promise.all(lists.map((list) => list.stop())));
  const close = async (): Promise<void> => {
    await readModels.stop();
    await store.close();
    await pool.end();
  };
  const figures = () => figuresOf({ pool, schema, store, walks: [] });
  return { commands, health: healthOf(readModels), figures, start, stop, close };
};

/** The service's own doings: each begins again after a crash from what the read model shows. */
const workLists = (
  parts: ExecutionParts,
  { deniedSeconds }: TransfersConfig,
  onFault: (error: unknown) => void,
): readonly WorkList[] => {
  const { pool, now } = parts;
  const work = { pool, schema, onFault, idOf: ({ transferId }: OpenTransfer) => transferId };
  return [
    startWorkList({
      ...work,
      name: 'execution',
      list: () => executable(pool, now().slice(0, 10)),
      work: (transfer) => execute(parts, transfer),
      concurrencyMax: executionsMax,
      pollMs: executionPollMs,
    }),
    startWorkList({
      ...work,
      name: 'questions',
      list: () => unanswered(pool),
      work: asker(parts, deniedSeconds * 1000),
      concurrencyMax: questionsMax,
      pollMs: questionPollMs,
    }),
  ];
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
