import {
  connectionDeleted,
  contextOfPart,
  eraseConnection,
  ledgerEvents,
  messageOf,
  statementBooked,
  statementPart,
  syncFetched,
  statementSetAside,
  type StatementBookedV1,
  type StatementPartV1,
} from '@causeway/contracts';
import { postgresDataKeys } from '@causeway/data-keys';
import type { DeadLetter, Message } from '@causeway/messaging';
import { inProcessBroker, type InProcessBroker } from '@causeway/messaging-in-process';
import { messageServer, MessageFaults } from '@causeway/messaging-nest';
import { eventually } from '@causeway/messaging/testing';
import { HEALTH, type Health } from '@causeway/observability';
import { keysIn, newSecret } from '@causeway/settings';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import type { LedgerConfig } from './config.ts';
import { LedgerModule, ledgerTopics } from './ledger.module.ts';
import { migrateLedger } from './migrations.ts';

const keysSetting = 'CAUSEWAY_RECEIPT_KEYS';
const scope = { organization: 'demo', environment: 'test' } as const;
const connectionId = randomUUID();
const accountId = randomUUID();
const entityId = randomUUID();

/** A page of the sandbox bank: one day, some rows, its closing balance. */
const page = (count: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      ...{ accountNumber: '1', currency: 'USD', from: '2026-03-02', to: '2026-03-02' },
      transactions: Array.from({ length: count }, (_, i) => ({
        ...{ id: `bank-${i}`, bookingDate: '2026-03-02', amount: `-${i + 1}.00`, typeCode: '475', text: `Row ${i}` },
        channel: 'card',
      })),
      closingBalances: [{ date: '2026-03-02', amount: '100.00' }],
    }),
  );

describeWithPostgres('the ledger service', () => {
  let database: TestDatabase;
  let config: LedgerConfig;
  let broker: InProcessBroker;
  let app: INestMicroservice;
  const booked: StatementBookedV1[] = [];
  const setAside: object[] = [];
  const letters: DeadLetter[] = [];
  const forged: string[] = [];
  /** Under way while the connection is erased. */
  let late: readonly Message[] = [];
  let runs = 0;

  beforeAll(async () => {
    database = await testDatabase();
    config = {
      databaseUrl: database.url,
      eventStore: { kind: 'postgres' },
      masterKeys: [{ id: '1', key: Buffer.alloc(32, 7) }],
      receiptKeys: keysIn({ [keysSetting]: newSecret(keysSetting) }, keysSetting),
      logLevel: 'silent',
    };
    await Promise.all([migrateLedger(config), migrateLedger(config)]);
    await postgresDataKeys({ pool: database.pool, masterKeys: config.masterKeys }).create(connectionId, scope);
    const deadLetters = { add: async (letter: DeadLetter) => void letters.push(letter) };
    broker = inProcessBroker({ deadLetters, onForged: (place) => void forged.push(place), backoffMs: 5 });
    const strategy = messageServer(broker, { group: 'ledger', topics: ledgerTopics });
    app = await NestFactory.createMicroservice(LedgerModule.register(config, broker), { strategy, logger: false });
    app.useGlobalFilters(new MessageFaults());
    await app.listen();
    const take = async ({ data }: Message): Promise<void> => void booked.push(data as StatementBookedV1);
    const takeSetAside = async ({ data }: Message): Promise<void> => void setAside.push(data);
    const events = new Map([
      [statementBooked.type, take],
      [statementSetAside.type, takeSetAside],
    ]);
    await broker.consume({ group: 'spec', topics: [ledgerEvents], events, commands: new Map() });
    broker.open();
  });
  afterAll(async () => {
    await broker.close();
    await app.close();
    await database.drop();
  });
  beforeEach(() => void (booked.length = 0));

  const causes = () => ({ id: randomUUID(), correlationId: 'request-1', causationId: 'request-1' });
  const whose = { ...scope, entityId, connectionId };

  const messagesOf = async (bytes: Buffer): Promise<readonly Message[]> => {
    const runId = randomUUID();
    const run = ++runs;
    const dataKeys = postgresDataKeys({ pool: database.pool, masterKeys: config.masterKeys });
    const place = { runId, run, page: 0, part: 0, parts: 1 };
    const its = { ...whose, accountId, currency: 'USD', connector: 'sandbox', bankDay: '2026-03-31', ...place };
    const attachment = await dataKeys.encrypt(connectionId, bytes, contextOfPart(its));
    return [
      messageOf(statementPart, its, { ...causes(), attachment }),
      messageOf(syncFetched, { ...whose, runId, run, accountIds: [accountId], pages: 1 }, causes()),
    ];
  };
  const sync = async (bytes: Buffer): Promise<void> => broker.publish(statementPart.topic, await messagesOf(bytes));
  const select = async (view: string) => (await database.pool.query<object>(`SELECT * FROM read_models.${view}`)).rows;

  test('when it says that a run is booked, what the run brought can be read', async () => {
    await sync(page(20));
    await eventually(() => expect(booked).toMatchObject([{ connectionId, changes: 20, refused: [] }]));
    expect(await select('transactions_v1')).toHaveLength(20);
    expect(await select('balances_v1')).toMatchObject([{ date: '2026-03-02', ledger_balance: '100.00' }]);
    expect(app.get<Health>(HEALTH).ready()).toBe(true);
  });

  test('a page that shows nothing new is booked with no changes', async () => {
    await sync(page(20));
    await eventually(() => expect(booked).toMatchObject([{ changes: 0 }]));
  });

  test('when a message of a run is set aside, it says so, and books what came', async () => {
    const [part, fetched] = (await messagesOf(page(20))) as [Message, Message];
    // Without its attachment, it can never be handled.
    const broken = messageOf(statementPart, part.data as StatementPartV1, causes());
    await broker.publish(statementPart.topic, [broken, fetched]);
    await eventually(() => expect(setAside).toMatchObject([{ ...scope, connectionId }]));
    await eventually(() => expect(booked).toMatchObject([{ changes: 0, missing: 1 }]));
  });

  test('a message that is not what its contract says is a dead letter that names the field, and holds nothing up', async () => {
    const [part, fetched] = (await messagesOf(page(20))) as [Message, Message];
    const noRun = { ...fetched, id: randomUUID(), data: { ...fetched.data, runId: 'r-1' } };
    await broker.publish(statementPart.topic, [noRun, part, fetched]);
    const reason = 'Error: connections.sync-fetched.v1: runId must match format "uuid"';
    expect(letters.at(-1)).toMatchObject({ message: { id: noRun.id }, reason, attempts: 1 });
    await eventually(() => expect(booked).toMatchObject([{ changes: 0, missing: 0 }]));
  });

  test('a dead letter that is retried after a newer page was booked changes nothing that the newer one told', async () => {
    const older = await messagesOf(page(21));
    const rename = (from: string, to: string) => `ALTER TABLE ledger.${from} RENAME TO ${to}`;
    await database.pool.query(rename('identity_head', 'away'));
    await broker.publish(statementPart.topic, older.slice(0, 1));
    await database.pool.query(rename('away', 'identity_head'));
    expect(letters.at(-1)?.message.id).toBe(older[0]?.id);
    await sync(page(22));
    await eventually(() => expect(booked).toMatchObject([{ changes: 2, missing: 0 }]));
    const before = await select('transactions_v1');
    expect(await broker.redeliver(letters.at(-1)!)).toBe('done');
    await broker.publish(statementPart.topic, older.slice(1));
    await eventually(() => expect(booked).toMatchObject([{ changes: 2 }, { changes: 0, missing: 0 }]));
    expect(await select('transactions_v1')).toEqual(before);
  });

  const kept = async (): Promise<readonly object[]> => {
    const tables = ['run', 'run_page', 'statement_part', 'identity_head', 'closed_connection'];
    const counts = tables.map((table) => `(SELECT count(*) FROM ledger.${table}) AS ${table}`);
    const events = `(SELECT jsonb_agg(stream ORDER BY stream, last_revision) FROM ledger_events.append) AS events`;
    return (await database.pool.query<object>(`SELECT ${[...counts, events].join()}`)).rows;
  };
  const owners: Readonly<Record<string, object>> = {
    'another organization': { organization: 'other' },
    'the other environment': { environment: 'live' },
    'a connection that nobody has': { connectionId: randomUUID() },
  };
  test.each(Object.entries(owners))(
    'what was captured and names %s is passed over and told of, and its owner’s own is booked',
    async (_, owner) => {
      const own = await messagesOf(page(22));
      const deleted = messageOf(
        connectionDeleted,
        { ...scope, connectionId, deletedAt: '2026-03-31T10:00:00Z' },
        causes(),
      );
      const captured = [...own, deleted].map((message) => ({ ...message, data: { ...message.data, ...owner } }));
      const [before, lettersBefore] = [await kept(), letters.length];
      await broker.publish(statementPart.topic, captured);
      expect(forged.splice(0)).toEqual(captured.map(({ type, id }) => `${statementPart.topic}/${type}/${id}`));
      expect([await kept(), letters.length]).toEqual([before, lettersBefore]);
      await broker.publish(statementPart.topic, own);
      await eventually(() => expect(booked).toMatchObject([{ ...scope, connectionId, changes: 0, missing: 0 }]));
      expect(forged).toEqual([]);
    },
  );

  test.each([{ organization: 'other' }, { environment: 'live' as const }, { connectionId: randomUUID() }])(
    'whoever names %p has nothing to erase',
    async (owner) => {
      const command = messageOf(eraseConnection, { ...scope, connectionId, ...owner }, causes());
      const reply = await broker.request(eraseConnection.topic, command, 10_000);
      expect(reply).toMatchObject({ ok: false, problem: { status: 404 } });
      expect((await database.pool.query('SELECT FROM ledger.closed_connection')).rowCount).toBe(0);
    },
  );

  test('an erasure is answered once nothing can be read, and then the feed tells of every row', async () => {
    late = await messagesOf(page(25));
    // As after a crash that took the newest of the index away, with the key gone by now: the read model is all there is.
    await database.pool.query('DELETE FROM ledger.identity WHERE bank_id > $1', ['bank-15']);
    await database.pool.query('SELECT data_keys.destroy($1)', [connectionId]);
    const command = messageOf(eraseConnection, { ...scope, connectionId }, causes());
    const visible = async () =>
      (await select('transactions_v1')).filter((row) => !(row as { removed: boolean }).removed).length;
    const reply = await broker.request(eraseConnection.topic, command, 10_000);
    expect(reply).toEqual({ ok: true, data: { connectionId } });
    expect(await visible()).toBe(0);
    expect(await select('balances_v1')).toEqual([]);
    await eventually(async () => {
      const rows = await select('transactions_v1');
      expect(rows).toHaveLength(22);
      expect(rows.every((row) => (row as { removed: boolean }).removed)).toBe(true);
    });
    expect((await database.pool.query('SELECT FROM ledger.identity')).rowCount).toBe(0);
    expect((await database.pool.query(`SELECT FROM ledger_events.append WHERE stream LIKE 'ledger-%'`)).rowCount).toBe(
      0,
    );
  });

  test('what comes for an erased connection is not booked, and is no fault', async () => {
    await broker.publish(statementPart.topic, late);
    expect((await database.pool.query('SELECT FROM ledger.identity')).rowCount).toBe(0);
  });
});
