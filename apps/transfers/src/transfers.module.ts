import { connectors } from '@causeway/bank-connectors';
import { ledgerEvents, transfersCommands } from '@causeway/contracts';
import { payeeKeysSchema, postgresDataKeys } from '@causeway/data-keys';
import type { TransferEvent } from '@causeway/domain/transfers';
import type { Sequenced } from '@causeway/event-sourcing';
import { quota } from '@causeway/quotas';
import {
  lifeOf,
  messageService,
  openEventSourced,
  OWN,
  SERVICE,
  serviceModule,
  type Doings,
  type EventSourced,
} from '@causeway/service';
import { startFeed } from '@causeway/subscriptions';
import { putWork, startWorkers } from '@causeway/work-queue';
import { Module, type DynamicModule } from '@nestjs/common';
import { sidesIn } from './commands/accounts.ts';
import { aggregatesIn } from './commands/aggregates.ts';
import { COMMANDS, CommandsController } from './commands/commands.controller.ts';
import { payeesOf } from './commands/payees.ts';
import { paymentsVia } from './commands/payments.ts';
import { PaymentsController } from './consumers/payments.controller.ts';
import { transfersConfig, type TransfersConfig } from './config.ts';
import { transfersIn } from './reactions/load.ts';
import { itemOf, leadsToWork, returnWorker, transferWorker } from './reactions/work.ts';
import { migrateTransfers, schema } from './migrations.ts';
import { isOpen, transfers } from './projections/transfers/transfers.ts';

/** What the service listens to. */
export const transfersTopics: readonly string[] = [transfersCommands, ledgerEvents];

const PARTS = Symbol('parts');

const openTransfers = (config: TransfersConfig): EventSourced =>
  // Nothing of a transfer is bank data of a connection: it stays when the connection goes.
  openEventSourced(config, {
    ...{ name: 'transfers', projections: [transfers], connectionsMax: 13, claimConnectionsMax: 3 },
    dataKeysIn: (pool) => postgresDataKeys({ pool, masterKeys: config.masterKeys, schema: payeeKeysSchema }),
  });

/** Parts that command handlers and workers share. */
const partsIn = (config: TransfersConfig) => (own: EventSourced) => {
  const { pool, store, dataKeys } = own;
  const { sandboxBankUrl: baseUrl, fileDropDir } = config;
  return {
    ...{ ...own, aggregates: aggregatesIn(store), paymentsAt: paymentsVia(connectors) },
    ...{ sidesOf: sidesIn(pool), transfers: transfersIn(store), payees: payeesOf(config.masterKeys, dataKeys) },
    openTransfers: quota({
      ...{ pool, schema, name: 'openTransfers', limit: config.openTransfersMax, perEnvironment: true },
      ...{ view: 'read_models.transfers_v1', counted: isOpen },
    }),
    accessTo: (connectionId: string, institutionId: string) => ({ connectionId, institutionId, baseUrl, fileDropDir }),
  };
};

type Parts = ReturnType<ReturnType<typeof partsIn>>;

/** Transfers are executed and asked about by whichever process gets to them; what is queued becomes work by one of them. */
const beginExecution = (parts: Parts, { deniedSeconds }: TransfersConfig): Doings => {
  const { log, pool, claims, store } = parts;
  const kinds = [transferWorker(parts, deniedSeconds * 1000), returnWorker(parts)];
  const workers = startWorkers({ pool: claims, schema, workers: kinds, log });
  const feed = startFeed({
    ...{ name: 'queued', store, pool, schema, log, concerns: leadsToWork, fed: workers.wake },
    take: async (tx, events) => {
      await putWork(tx, schema, events.map(itemOf));
      for (const event of events) parts.transfers.remember(event as Sequenced<TransferEvent>);
    },
  });
  return { walks: [feed], workers };
};

/** The composition root: the one place where the parts meet, and the one that knows Nest. */
@Module({})
export class TransfersModule {
  /** Nothing of this service leaves it yet, so it needs no bus: whichever transport brings it messages. */
  static register(config: TransfersConfig): DynamicModule {
    return serviceModule(TransfersModule, {
      controllers: [CommandsController, PaymentsController],
      providers: [
        { provide: OWN, useFactory: () => openTransfers(config) },
        { provide: PARTS, inject: [OWN], useFactory: partsIn(config) },
        { provide: COMMANDS, useExisting: PARTS },
        {
          provide: SERVICE,
          inject: [PARTS],
          useFactory: (parts: Parts) => lifeOf(parts, () => beginExecution(parts, config)),
        },
      ],
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
