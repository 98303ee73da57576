import type { Connector } from '@causeway/bank-connectors';
import { ledgerStream } from '@causeway/booking';
import { postgresDataKeys, type DataKeys } from '@causeway/data-keys';
import {
  placeOf,
  transactionContent,
  type LedgerEvent,
  type StatementPage,
  type StatementRow,
} from '@causeway/domain/ledger';
import type { EventStore, Recorded } from '@causeway/event-sourcing';
import { postgresEventStore } from '@causeway/event-store-postgres';
import { openPool, type Pool } from '@causeway/postgres';
import { testDatabase } from '@causeway/testing';
import { ledgerEventsSchema, ledgerRole, migrateLedger } from '../src/migrations.ts';
import type { Receiving } from '../src/booking/receive-part.ts';
import type { PageToBook } from '../src/booking/whole-page.ts';

export const connectionId = '018f0000-0000-7000-8000-000000000001';
export const accountId = '018f0000-0000-5000-8000-000000000002';
export const entityId = '018f0000-0000-7000-8000-000000000003';
export const runId = '018f0000-0000-7000-8000-000000000004';

export const account = {
  ...{ accountId, connectionId, entityId, currency: 'USD' },
  organization: 'demo',
  environment: 'test',
} as const;

export const causes = { correlationId: 'request-1', causationId: 'message-1' };

const content = transactionContent({
  amount: '-3.00',
  currency: 'USD',
  description: 'Coffee',
  rail: 'card',
  rawDescription: 'COFFEE SHOP 12',
});

export const day = '2026-03-02';

type Facts = Readonly<{ bankId: string | null; day?: string; amount?: string }>;

export const posted = ({ bankId, day: on = day, amount = '-3.00' }: Facts): StatementRow => {
  const seen = { ...content, postedDate: on, amount };
  return { status: 'posted', bankId, day: on, valueDate: null, typeCode: null, content: seen };
};

export const rowsOn = (on: string, count: number): StatementRow[] =>
  Array.from({ length: count }, (_, i) => posted({ bankId: `${on}-${i}`, day: on, amount: `-${i}.00` }));

export const booksOf = (on: string, rows: readonly StatementRow[]): StatementPage => ({
  coverage: { posted: { from: on, to: on }, pending: null },
  rows,
  closingBalances: [{ date: on, amount: '100.00' }],
});

/** Page `number` of run `run` of the connection; of a run with one id unless it is given. */
export const toBook = (page: StatementPage, run = 1, number = 0, id = runId): PageToBook => ({
  ...{ account, runId: id, number, place: placeOf(run, number), bytes: 1000, page, causes },
});

/** A bank whose pages are rows in JSON, a list in each part; every page shows the whole of its first row's day. */
const jsonRows: Pick<Connector, 'map'> = {
  map: (part) => {
    const rows = JSON.parse(part.toString()) as StatementRow[];
    return booksOf(rows[0]?.day ?? day, rows);
  },
};

const masterKeys = [{ id: '1', key: Buffer.alloc(32, 7) }] as const;
/** As the connections service has them, which alone makes keys. */
export const keysOfOwner = (pool: Pool): DataKeys => postgresDataKeys({ pool, masterKeys });

export type TestLedger = Receiving &
  Readonly<{
    admin: Pool;
    dataKeys: DataKeys;
    /** The account's events, oldest first. */
    events(): Promise<readonly Recorded<LedgerEvent>[]>;
    /** Another store of the same service, as another process has it. */
    otherStore(): EventStore;
    drop(): Promise<void>;
  }>;

/** The service's tables, store and keys in a database of their own; one connection with its data key. */
export const testLedger = async (): Promise<TestLedger> => {
  const database = await testDatabase();
  await migrateLedger({ databaseUrl: database.url });
  const ours = { url: database.url, role: ledgerRole };
  const pool = openPool({ ...ours, applicationName: 'booking', pipeline: true });
  const storePool = openPool({ ...ours, applicationName: 'store' });
  await keysOfOwner(database.pool).create(connectionId, account);
  const dataKeys = postgresDataKeys({ pool: storePool, masterKeys });
  const stores: EventStore[] = [];
  const openStore = (): EventStore => {
    stores.push(postgresEventStore({ pool: storePool, schema: ledgerEventsSchema, dataKeys }));
    return stores.at(-1)!;
  };
  const store = openStore();
  return {
    ...{ pool, store, dataKeys, admin: database.pool },
    connectors: { json: jsonRows },
    events: () => store.readStream<LedgerEvent>(ledgerStream(accountId)),
    otherStore: openStore,
    drop: async () => {
      for (const each of stores) await each.close();
      await Promise.all([pool.end(), storePool.end()]);
      await database.drop();
    },
  };
};
