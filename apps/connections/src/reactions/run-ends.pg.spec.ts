import { BankFault, type Connector, type Fetched } from '@causeway/bank-connectors';
import { postgresDataKeys } from '@causeway/data-keys';
import type { ConnectionEvent } from '@causeway/domain/connections';
import type { EventStore } from '@causeway/event-sourcing';
import { postgresEventStore } from '@causeway/event-store-postgres';
import { postgresSnapshots } from '@causeway/event-stores';
import { openLog } from '@causeway/observability';
import { ownContext } from '@causeway/service';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { ClaimLost, type Hold } from '@causeway/work-queue';
import { randomUUID } from 'node:crypto';
import { aggregatesIn } from '../commands/aggregates.ts';
import { eventsSchema, migrateConnections, schema } from '../migrations.ts';
import { keptPages } from './kept-pages.ts';
import { fetchOpenRun } from './sync-run.ts';
import type { SyncParts } from './sync-parts.ts';

const scope = { organization: 'demo', environment: 'test' } as const;
const [entityId, at] = [randomUUID(), '2026-03-01T10:00:00.000Z'];
const portal = { institutionId: 'sandbox-instant', institutionName: 'Instant', portalUrl: 'https://bank.example' };
const account: Fetched = {
  type: 'account',
  account: {
    ...{ key: 'a', number: '1', type: 'checking', currency: 'USD', name: 'A', officialName: null, status: 'open' },
    ...{ routingNumber: null, swiftBic: null, currentBalance: '0', availableBalance: null, balanceAsOf: null },
  },
};
const pageOf = (day: string): Fetched => {
  const range = { from: day, to: day };
  return { type: 'page', page: { accountKey: 'a', range, bankDay: day, parts: [Buffer.from(day)] } };
};
const held: Hold = { signal: new AbortController().signal, throwIfLost: () => undefined };
/** As of a process that stood still: its signal has not fired yet. */
const losable = () => {
  let lost = false;
  const throwIfLost = (): void => {
    if (lost) throw new ClaimLost('another’s');
  };
  return { hold: { ...held, throwIfLost }, lose: () => void (lost = true) };
};

describeWithPostgres('a run', () => {
  let database: TestDatabase;
  let store: EventStore;
  let settled: readonly string[][];
  let answer: () => AsyncIterable<Fetched>;
  let settle: () => Promise<void>;
  let parts: SyncParts;
  const warned: string[] = [];
  const bank: Connector = {
    name: 'sandbox',
    isDelegated: false,
    prepare: () => Promise.resolve(),
    login: () => Promise.resolve(),
    open: () => ({ fetch: () => answer(), lent: () => ['a file'] }),
    erase: () => Promise.resolve(),
    settle: (_, lent) => {
      settled = [...settled, [...lent]];
      return settle();
    },
    map: () => Promise.reject(new Error('not here')) as never,
  };
  beforeAll(async () => {
    database = await testDatabase();
    await migrateConnections({ databaseUrl: database.url });
    const { pool } = database;
    const dataKeys = postgresDataKeys({ pool, masterKeys: [{ id: '1', key: Buffer.alloc(32) }] });
    store = postgresEventStore({ pool, schema: eventsSchema, dataKeys });
    const log = openLog('connections', 'silent');
    log.warn = (_: object, message?: string) => void warned.push(message ?? '');
    parts = {
      ...{ pool, store, dataKeys, kept: keptPages(pool), log, connectors: { sandbox: bank } },
      aggregates: aggregatesIn({ store, snapshots: postgresSnapshots(pool, schema), dataKeys }),
      accessTo: (connectionId, institutionId) => ({ connectionId, institutionId, baseUrl: '', fileDropDir: '' }),
      ...{ now: () => at, silenceMaxMs: 60_000, unbookedBytesMax: 16_000_000 },
    };
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });
  let its: Readonly<{ connectionId: string; runId: string }>;
  beforeEach(async () => {
    settled = [];
    settle = () => Promise.resolve();
    its = { connectionId: randomUUID(), runId: randomUUID() };
    const { connectionId, runId } = its;
    await parts.dataKeys.create(connectionId, scope);
    const opening = {
      connectionId,
      at,
      scope,
      entityId,
      portal,
      connector: 'sandbox',
      instructions: null,
      firstRunId: runId,
    };
    await parts.aggregates.connection({ type: 'OpenConnection', ...opening }, ownContext(scope));
  });

  const fetchIt = (hold = held) => fetchOpenRun(parts, its.connectionId, hold);
  const ends = async () => {
    const events = await store.readStream<ConnectionEvent>(`connection-${its.connectionId}`);
    return events.slice(2).filter(({ type }) => type !== 'AccountFound');
  };
  const typesOfRun = async () => (await store.readStream(`sync-${its.runId}`)).map(({ type }) => type);
  const setAside = () =>
    database.pool.query('UPDATE connections.sync_run SET set_aside = true WHERE run_id = $1', [its.runId]);
  const bookLate = () =>
    parts.aggregates.connection({ type: 'CompleteSync', ...its, changes: 3, fault: null, at }, ownContext(scope));
  const givenUpAndToldLate = async () => {
    expect(await ends()).toMatchObject([{ type: 'SyncFailed', data: { changes: null } }]);
    expect(await parts.kept.ofAccount(its.connectionId)).toEqual(new Map());
    await bookLate();
    expect(await ends()).toMatchObject([{ type: 'SyncFailed' }, { type: 'SyncBookedLate', data: { changes: 3 } }]);
  };

  test.each<[string, Fetched[], 'bank down' | 'bank done']>([
    ['the bank fails', [], 'bank down'],
    ['the bank has nothing new', [], 'bank done'],
    ['the bank sends a page', [account, pageOf('2026-03-01')], 'bank done'],
  ])('is not touched once its claim is lost: %s', async (_, sent, last) => {
    const { hold, lose } = losable();
    answer = async function* () {
      lose();
      yield* sent;
      if (last === 'bank down') throw new BankFault('unavailable', 'down');
    };
    await expect(fetchIt(hold)).rejects.toThrow(ClaimLost);
    expect([await ends(), settled, await typesOfRun()]).toEqual([[], [], []]);
  });

  test.each(['bank down', 'bank done'])('is not closed once its claim is lost after a page: %s', async (last) => {
    const { hold, lose } = losable();
    answer = async function* () {
      yield* [account, pageOf('2026-03-01')];
      lose();
      if (last === 'bank down') throw new BankFault('unavailable', 'down');
    };
    await expect(fetchIt(hold)).rejects.toThrow(ClaimLost);
    expect([await ends(), await typesOfRun()]).toEqual([[], ['StatementReceived']]);
  });

  test('ends also when what the bank lent cannot be given back', async () => {
    answer = async function* () {};
    settle = () => Promise.reject(new Error('EACCES'));
    expect(await fetchIt()).toBe(true);
    expect(await ends()).toMatchObject([{ type: 'SyncCompleted' }]);
    expect([settled, warned]).toEqual([[['a file']], ['what a bank lent is not given back']]);
  });

  test('of which a message was set aside while it was fetched ends as given up, and is told late', async () => {
    answer = async function* () {
      yield* [account, pageOf('2026-03-01')];
      await setAside();
    };
    expect(await fetchIt()).toBe(true);
    await givenUpAndToldLate();
  });

  test('of which a message was set aside ends so, too, when a crash came after its last page', async () => {
    answer = async function* () {
      yield* [account, pageOf('2026-03-01')];
    };
    await fetchIt();
    expect(await ends()).toEqual([]);
    await setAside();
    expect(await fetchIt()).toBe(true);
    await givenUpAndToldLate();
  });
});
