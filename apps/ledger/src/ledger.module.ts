import { connectors } from '@causeway/bank-connectors';
import { connectionsStatements, ledgerCommands } from '@causeway/contracts';
import { beginning, type Position } from '@causeway/event-sourcing';
import { postgresDataKeys } from '@causeway/data-keys';
import type { Bus } from '@causeway/messaging';
import { openPool, type Pool } from '@causeway/postgres';
import { relay, startFeed } from '@causeway/subscriptions';
import { putWork, startWorkers, type Claim, type Outcome } from '@causeway/work-queue';
import {
  CONNECTION_KEYS,
  lifeOf,
  messageService,
  openEventSourced,
  OWN,
  SERVICE,
  serviceModule,
  withoutCategory,
  type Doings,
  type EventSourced,
  type ServiceParts,
} from '@causeway/service';
import { Module, type DynamicModule } from '@nestjs/common';
import { CLOSING, EraseConnectionController, type Closing } from './commands/erase-connection.controller.ts';
import { ledgerConfig, type LedgerConfig } from './config.ts';
import { RECEIVING, type Receiving } from './booking/receive-part.ts';
import { bookingsMax, StatementsController } from './consumers/statements.controller.ts';
import { ledgerRole, ledgerSchema, migrateLedger } from './migrations.ts';
import { balances } from './projections/balances/balances.projection.ts';
import { discrepancyCount } from './projections/balances/discrepancy-count.ts';
import { transactions } from './projections/transactions/transactions.projection.ts';
import { isHeldBack } from './publishing/parked.ts';
import { publish } from './publishing/publish.ts';
import { eraseConnection, erasureKind, erasureOf, type Erasing } from './reactions/erase-connection.ts';
import { isGone } from './reactions/is-gone.ts';
import { concernsErasure, issueReceipt, takeErasures, type Receipts } from './reactions/receipts.ts';
import { forgetOld } from './reactions/retention.ts';
import { stillShown } from './reactions/still-shown.ts';

export const ledgerTopics: readonly string[] = [ledgerCommands, connectionsStatements];

const BOOKING_POOL = Symbol('sessions that book');

const projections = [transactions, balances];

/**
 * Apart from the sessions that append: of one pool, those that wait for an append could keep out the append. Two more for
 * whoever closes a connection meanwhile.
 */
const bookingConnectionsMax = bookingsMax + 2;
/** Positions that a walk passes over at once; hardly any of them hold an event for it. */
const batchEvents = 5000;
/** Connections being erased at once. */
const erasuresMax = 4;

/** As far as every read model has come: what the relay tells of can be read. */
const projected = async ({ readModels }: EventSourced): Promise<Position> => {
  const positions = await Promise.all(projections.map(({ name }) => readModels.position(name)));
  return positions.reduce((least, position) => (position < least ? position : least), positions[0] ?? beginning);
};

/** What is built beside the live read model, or kept, may hold rows for as long as it takes. */
const goneLookMs = 10_000;

const startErasures = (own: EventSourced, { receiptKeys }: LedgerConfig) => {
  const { log, store, pool, claims, readModels, now } = own;
  const erasing: Erasing = { pool, store, stillShown: stillShown(readModels, pool) };
  const receipts: Receipts = { pool, store, now, key: receiptKeys[0], isGone: isGone(own) };
  const work = async ({ id, throwIfLost }: Claim): Promise<Outcome> => {
    await eraseConnection(erasing, id, { throwIfLost });
    return (await issueReceipt(receipts, id)) ? 'done' : { againInMs: goneLookMs };
  };
  const workers = [{ kind: erasureKind, slots: erasuresMax, work }];
  return startWorkers({ pool: claims, schema: ledgerSchema, workers, log });
};

const begin = (opened: EventSourced, config: LedgerConfig, bus: Bus): Doings => {
  const { log, store, pool } = opened;
  // What became of rows is told by the feed alone: of these events, nearly all there are, no message and no effect is made.
  const place = { store: withoutCategory(store, 'ledger'), pool, schema: ledgerSchema, batchEvents, log };
  const workers = startErasures(opened, config);
  const told = relay({
    ...{ ...place, name: 'relay', bus, upTo: () => projected(opened) },
    publish: async (event) => publish(event, await isHeldBack(pool, event)),
  });
  const erasures = startFeed({
    ...{ ...place, name: 'erasures', fed: workers.wake },
    concerns: concernsErasure,
    take: async (tx, events) => {
      await takeErasures(tx, events);
      await putWork(tx, ledgerSchema, events.flatMap(erasureOf));
    },
  });
  return { walks: [told, erasures], workers, forgetOld: () => forgetOld(pool, store, Date.now()) };
};

const openLedger = (config: LedgerConfig): EventSourced =>
  openEventSourced(config, {
    ...{ name: 'ledger', projections },
    dataKeysIn: (pool) => postgresDataKeys({ pool, masterKeys: config.masterKeys }),
  });

const bookingPool = ({ databaseUrl: url }: LedgerConfig): Pool =>
  openPool({
    ...{ url, applicationName: 'ledger booking', role: ledgerRole },
    ...{ connectionsMax: bookingConnectionsMax, pipeline: true },
  });

const lifeOn =
  (config: LedgerConfig, bus: Bus) =>
  (own: EventSourced, booking: Pool): ServiceParts => {
    const life = lifeOf(
      own,
      () => begin(own, config, bus),
      () => booking.end(),
    );
    const discrepancies = discrepancyCount(own.pool);
    const figures = async () => {
      const balanceDiscrepancies = discrepancies();
      return { ...(await life.figures()), ...(balanceDiscrepancies !== undefined && { balanceDiscrepancies }) };
    };
    return { ...life, figures };
  };

/** The composition root: the one place where the parts meet, and the one that knows Nest. */
@Module({})
export class LedgerModule {
  /** `bus`: whichever transport; the module neither knows nor cares. */
  static register(config: LedgerConfig, bus: Bus): DynamicModule {
    return serviceModule(LedgerModule, {
      controllers: [EraseConnectionController, StatementsController],
      providers: [
        { provide: OWN, useFactory: () => openLedger(config) },
        { provide: BOOKING_POOL, useFactory: () => bookingPool(config) },
        {
          provide: RECEIVING,
          inject: [OWN, BOOKING_POOL],
          useFactory: (own: EventSourced, pool: Pool): Receiving => ({ ...own, pool, connectors }),
        },
        {
          provide: CLOSING,
          inject: [OWN, BOOKING_POOL],
          useFactory: (own: EventSourced, pool: Pool): Closing => ({ ...own, pool }),
        },
        { provide: CONNECTION_KEYS, inject: [OWN], useFactory: ({ dataKeys }: EventSourced) => dataKeys },
        {
          provide: SERVICE,
          inject: [OWN, BOOKING_POOL],
          useFactory: lifeOn(config, bus),
        },
      ],
    });
  }
}

export const ledgerService = messageService<LedgerConfig>({
  name: 'ledger',
  healthPort: 3003,
  topics: ledgerTopics,
  config: ledgerConfig,
  migrate: migrateLedger,
  module: (config, bus) => LedgerModule.register(config, bus),
});
