import { connectors } from '@causeway/bank-connectors';
import { connectionsStatements, ledgerCommands } from '@causeway/contracts';
import { postgresDataKeys } from '@causeway/data-keys';
import { beginning, type EventStore, type Position } from '@causeway/event-sourcing';
import { openEventStore, startRetention } from '@causeway/event-stores';
import { DeadlineExceeded, type Bus } from '@causeway/messaging';
import { openLog } from '@causeway/observability';
import { openPool } from '@causeway/postgres';
import { projector } from '@causeway/projections';
import { relay, startFeed, type Walk } from '@causeway/subscriptions';
import { putWork, startWorkers, type Claim, type Outcome } from '@causeway/work-queue';
import { figuresOf, healthOf, messageService, serviceModule } from '@causeway/service';
import { Module, type DynamicModule } from '@nestjs/common';
import { EraseConnectionController, HIDDEN, NOW } from './commands/erase-connection.controller.ts';
import { ledgerConfig, type LedgerConfig } from './config.ts';
import { erasureStream } from './consumers/booking/account.ts';
import { RECEIVING, type Receiving } from './consumers/booking/receive-part.ts';
import { bookingsMax, StatementsController } from './consumers/statements.controller.ts';
import { ledgerEventsSchema, ledgerRole, ledgerSchema, migrateLedger } from './migrations.ts';
import { balances } from './projections/balances/balances.projection.ts';
import { transactions } from './projections/transactions/transactions.projection.ts';
import { isHeldBack } from './publishing/parked.ts';
import { publish } from './publishing/publish.ts';
import { eraseConnection, erasureKind, erasureOf, type Erasing } from './reactions/erase-connection.ts';
import { forgetOld } from './reactions/retention.ts';
import { stillShown } from './reactions/still-shown.ts';

export const ledgerTopics: readonly string[] = [ledgerCommands, connectionsStatements];

const projections = [transactions, balances];

/**
 * Apart from the sessions that append: of one pool, those that wait for an append could keep out the append. Two more for
 * whoever closes a connection meanwhile.
 */
const bookingConnectionsMax = bookingsMax + 2;
/** A deletion is answered once nothing of it can be read. Less than the 10 s that whoever asks waits for it. */
const hiddenMs = 7000;
/** Positions that a walk passes over at once; hardly any of them hold an event for it. */
const batchEvents = 5000;

const openParts = ({ databaseUrl, eventStore, masterKey, logLevel }: LedgerConfig, bus: Bus) => {
  const log = openLog('ledger', logLevel);
  const pool = openPool({ url: databaseUrl, applicationName: 'ledger', role: ledgerRole });
  // Claims are renewed on sessions that no work can hold.
  const claims = openPool({ url: databaseUrl, applicationName: 'ledger', role: ledgerRole, connectionsMax: 2 });
  const booking = openPool({
    url: databaseUrl,
    applicationName: 'ledger booking',
    role: ledgerRole,
    connectionsMax: bookingConnectionsMax,
    pipeline: true,
  });
  const dataKeys = postgresDataKeys({ pool, masterKey });
  const store = openEventStore(eventStore, { pool, schema: ledgerEventsSchema, dataKeys });
  const views = projector({ pool, schema: ledgerSchema, store, projections, log });
  const receiving: Receiving = { pool: booking, store, dataKeys, connectors };
  return { log, pool, claims, booking, store, views, receiving, bus };
};

type Parts = ReturnType<typeof openParts>;

/** As far as every read model has come: what the relay tells of can be read. */
const projected = async ({ views }: Parts): Promise<Position> => {
  const positions = await Promise.all(projections.map(({ name }) => views.position(name)));
  return positions.reduce((least, position) => (position < least ? position : least), positions[0] ?? beginning);
};

const hidden =
  ({ views }: Parts) =>
  async (connectionId: string): Promise<void> => {
    const names = projections.map(({ name }) => name);
    if ((await views.caughtUp(names, hiddenMs)) && !(await views.holdsBack(erasureStream(connectionId)))) return;
    throw new DeadlineExceeded('the read models still show what was deleted');
  };

/** What became of rows is told by the feed alone: of these events, nearly all there are, no message and no effect is made. */
const withoutLedgers = (store: EventStore): EventStore => ({
  ...store,
  readAll: (after, limit) => store.readAll(after, limit, 'ledger'),
});

/** Connections being erased at once. */
const erasuresMax = 4;

const startErasures = ({ log, store, pool, claims, views }: Parts) => {
  const erasing: Erasing = { pool, store, stillShown: stillShown(views, pool) };
  const work = async ({ id, throwIfLost }: Claim): Promise<Outcome> => {
    await eraseConnection(erasing, id, { throwIfLost });
    return 'done';
  };
  const workers = [{ kind: erasureKind, slots: erasuresMax, work }];
  return startWorkers({ pool: claims, schema: ledgerSchema, workers, log });
};

const startWalks = (parts: Parts, erasures: ReturnType<typeof startErasures>): readonly Walk[] => {
  const { log, store, pool, bus } = parts;
  const place = { store: withoutLedgers(store), pool, schema: ledgerSchema, batchEvents, log };
  return [
    relay({
      ...{ ...place, name: 'relay', bus, upTo: () => projected(parts) },
      publish: async (event) => publish(event, await isHeldBack(pool, event)),
    }),
    startFeed({
      ...{ ...place, name: 'erasures', fed: erasures.wake },
      concerns: (event) => erasureOf(event).length > 0,
      take: (tx, events) => putWork(tx, ledgerSchema, events.flatMap(erasureOf)),
    }),
  ];
};

const compose = (config: LedgerConfig, bus: Bus) => {
  const parts = openParts(config, bus);
  const { log, pool, claims, booking, store, views, receiving } = parts;
  let walks: readonly Walk[] = [];
  let erasures: ReturnType<typeof startErasures> | undefined;
  let endRetention = (): void => undefined;
  return {
    receiving,
    hidden: hidden(parts),
    now: (): string => new Date().toISOString(),
    health: healthOf(views),
    figures: () => figuresOf({ pool, schema: ledgerSchema, store, walks }),
    start: async (): Promise<void> => {
      views.start();
      await views.made();
      erasures = startErasures(parts);
      walks = startWalks(parts, erasures);
      const forget = () => forgetOld(pool, store, Date.now());
      endRetention = startRetention(forget, (err) => log.warn({ err }, 'tried again later'));
    },
    stop: async (): Promise<void> => {
      endRetention();
      await Promise.all([...walks.map((walk) => walk.stop()), erasures?.stop()]);
    },
    close: async (): Promise<void> => {
      await views.stop();
      await store.close();
      await Promise.all([pool.end(), claims.end(), booking.end()]);
    },
  };
};

type Service = ReturnType<typeof compose>;

/** The composition root: the one place where the parts meet, and the one that knows Nest. */
@Module({})
export class LedgerModule {
  /** `bus`: whichever transport; the module neither knows nor cares. */
  static register(config: LedgerConfig, bus: Bus): DynamicModule {
    return serviceModule(LedgerModule, {
      controllers: [EraseConnectionController, StatementsController],
      open: () => compose(config, bus),
      offers: [
        [RECEIVING, ({ receiving }: Service) => receiving],
        [HIDDEN, ({ hidden }: Service) => hidden],
        [NOW, ({ now }: Service) => now],
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
