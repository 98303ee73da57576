import { postgresDataKeys } from '@causeway/data-keys';
import type { ErasureEvent, LedgerEvent } from '@causeway/domain/ledger';
import { beginning, type Event, type EventStore, type Revision, type Sequenced } from '@causeway/event-sourcing';
import { postgresEventStore } from '@causeway/event-store-postgres';
import { inTransaction } from '@causeway/postgres';
import type { Projection } from '@causeway/projections';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { ledgerEventsSchema, migrateLedger } from '../migrations.ts';
import { balances } from './balances/balances.projection.ts';
import { connections, entityId, history, uuidOf } from '../../testing/history.ts';
import { transactions } from './transactions/transactions.projection.ts';

describeWithPostgres('the read models of the ledger', () => {
  let database: TestDatabase;
  let store: EventStore;
  const revisions = new Map<string, number>();
  const seed = Date.now() % 1_000_000;

  const append = async (stream: `${string}-${string}`, events: readonly Event[], dataKey: string | null) => {
    const revision = revisions.get(stream);
    const outcome = await store.append({
      stream,
      expected: revision === undefined ? 'no-stream' : (revision as Revision),
      events: events.map((event) => ({ ...event, id: randomUUID() })),
      metadata: { correlationId: 'r', causationId: 'm', organization: 'demo', environment: 'test' },
      dataKey,
    });
    expect(outcome).toBe('appended');
    revisions.set(stream, (revision ?? -1) + events.length);
  };

  beforeAll(async () => {
    console.info(`seed ${seed}`);
    database = await testDatabase();
    await migrateLedger({ databaseUrl: database.url });
    const { pool } = database;
    const dataKeys = postgresDataKeys({ pool, masterKeys: [{ id: '1', key: Buffer.alloc(32, 7) }] });
    for (const id of connections) await dataKeys.create(id, { organization: 'demo', environment: 'test' });
    store = postgresEventStore({ pool, schema: ledgerEventsSchema, dataKeys });
    for (const { account, events } of history(seed, 150)) {
      await append(`ledger-${uuidOf('0a', account)}`, events, connections[account >> 1] as string);
    }
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  const recorded = async (): Promise<readonly Sequenced[]> => {
    await store.head();
    const { events } = await store.readAll(beginning, 100_000);
    return events;
  };

  /** All events in batches of a size, into tables of their own; answers the rows as text, by table. */
  const replayed = async (projection: Projection, size: number): Promise<Record<string, readonly string[]>> => {
    const events = await recorded();
    const mark = `r${randomUUID().slice(0, 8)}`;
    const table = (logical: string): string => `ledger.${logical}_${mark}`;
    for (const statement of [...projection.ddl(table), ...projection.indexes(table)])
      await database.pool.query(statement);
    for (let from = 0; from < events.length; from += size) {
      await inTransaction(database.pool, (tx) => projection.project(tx, table, events.slice(from, from + size)));
    }
    const rows = async (logical: string): Promise<[string, readonly string[]]> => {
      const sql = `SELECT r::text AS row FROM ${table(logical)} r ORDER BY 1`;
      return [logical, (await database.pool.query<{ row: string }>(sql)).rows.map(({ row }) => row)];
    };
    return Object.fromEntries(await Promise.all(projection.tables.map(rows)));
  };

  test.each([transactions, balances])(
    'come out the same whatever the size of the batches: $name',
    async (projection) => {
      const atOnce = await replayed(projection, 100_000);
      expect(atOnce[projection.name]?.length).toBeGreaterThan(30);
      expect(await replayed(projection, 1)).toEqual(atOnce);
      expect(await replayed(projection, 7)).toEqual(atOnce);
    },
  );

  test('hold every byte that can be held', async () => {
    const rows = await replayed(transactions, 1000);
    const events = (await recorded()) as readonly Sequenced<LedgerEvent>[];
    const { data } = events.find(({ type }) => type === 'TransactionRecorded') as Sequenced<LedgerEvent>;
    expect(JSON.stringify(data)).toContain('\\u0000');
    expect(rows['transactions']?.join('')).toContain('Ünal & Söhne 🏦');
    expect(rows['transactions']?.join('')).toContain('-12345678901234567890.12');
    expect(rows['transactions']?.join('')).toContain('\uFFFD');
  });

  test('of an erased connection are the same after a rebuild from what is left of its events', async () => {
    const [connectionId] = connections as [string];
    const before = (await recorded()) as readonly Sequenced<LedgerEvent>[];
    const idsOf = (accountId: string): readonly string[] => [
      ...new Set(
        before
          .filter(({ type, stream }) => type === 'TransactionRecorded' && stream === `ledger-${accountId}`)
          .map(({ data }) => (data as { transactionId: string }).transactionId),
      ),
    ];
    const accounts = [uuidOf('0a', 0), uuidOf('0a', 1)];
    const erasure: ErasureEvent[] = [
      { type: 'ConnectionErased', data: { connectionId, erasedAt: '2026-03-01T00:00:00.000Z' } },
      ...accounts.map((accountId): ErasureEvent => ({
        type: 'TransactionsRemoved',
        data: { entityId, connectionId, accountId, transactionIds: idsOf(accountId) },
      })),
    ];
    for (const event of erasure) await append(`erasure-${connectionId}`, [event], null);
    const [live, liveBalances] = [await replayed(transactions, 50), await replayed(balances, 50)];
    for (const accountId of accounts) await store.eraseStream(`ledger-${accountId}`);
    expect(await replayed(transactions, 1000)).toEqual(live);
    expect(await replayed(balances, 1000)).toEqual(liveBalances);

    const removed = live['transactions']?.filter((row) => row.includes(connectionId)) ?? [];
    expect(removed.length).toBe(accounts.flatMap(idsOf).length);
    expect(live['transaction_versions']?.filter((row) => row.includes(connectionId))).toEqual([]);
    expect(live['transaction_versions']?.length).toBeGreaterThan(0);
    expect(removed.filter((row) => /row \d|change \d|Ünal|USD|ach/.test(row))).toEqual([]);
    expect(liveBalances['balances']?.filter((row) => row.includes(connectionId))).toEqual([]);
    expect(liveBalances['balances']?.length).toBeGreaterThan(0);
  });
});
