import { postgresDataKeys, type DataKeys } from '@causeway/data-keys';
import type { ConnectionEvent } from '@causeway/domain/connections';
import type { EventStore, Revision, StreamName } from '@causeway/event-sourcing';
import { postgresEventStore } from '@causeway/event-store-postgres';
import { postgresSnapshots } from '@causeway/event-stores';
import { ownContext } from '@causeway/service';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { eventsSchema, migrateConnections, schema } from '../migrations.ts';
import { aggregatesIn, type Aggregates } from './aggregates.ts';

const scope = { organization: 'demo', environment: 'test' } as const;
const [entityId, at] = [randomUUID(), '2026-03-01T10:00:00.000Z'];
const portal = { institutionId: 'sandbox-instant', institutionName: 'Instant', portalUrl: 'https://bank.example' };
const details = {
  ...({ type: 'checking', name: 'Old', officialName: null, status: 'open', number: '1', routingNumber: null } as const),
  ...{ swiftBic: null, currentBalance: '0', availableBalance: null, balanceAsOf: null },
};
/** Hourly for ten years would be 87,600: what is read must not depend on it. */
const oldRuns = 5000;
const runsPerAppend = 500;

describeWithPostgres('the age of a connection', () => {
  let database: TestDatabase;
  let store: EventStore;
  let dataKeys: DataKeys;
  let aggregates: Aggregates;
  let read = 0;
  beforeAll(async () => {
    database = await testDatabase();
    await migrateConnections({ databaseUrl: database.url });
    const { pool } = database;
    dataKeys = postgresDataKeys({ pool, masterKeys: [{ id: '1', key: Buffer.alloc(32) }] });
    store = postgresEventStore({ pool, schema: eventsSchema, dataKeys });
    const readStream: EventStore['readStream'] = async (...given) => {
      const events = await store.readStream(...given);
      read += events.length;
      return events as never;
    };
    const snapshots = postgresSnapshots(pool, schema);
    aggregates = aggregatesIn({ store: { ...store, readStream }, snapshots, dataKeys });
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  const open = async (): Promise<string> => {
    const connectionId = randomUUID();
    await dataKeys.create(connectionId, scope);
    const its = {
      connectionId,
      at,
      scope,
      entityId,
      portal,
      connector: 'sandbox',
      instructions: null,
      firstRunId: randomUUID(),
    };
    await aggregates.connection({ type: 'OpenConnection', ...its }, ownContext(scope));
    await aggregates.connection(
      { type: 'CompleteSync', connectionId, runId: its.firstRunId, changes: 0, fault: null, at },
      ownContext(scope),
    );
    return connectionId;
  };
  const runOf = (number: number): ConnectionEvent[] => {
    const its = { entityId, institutionId: portal.institutionId, runId: randomUUID() };
    return [
      { type: 'SyncRequested', data: { ...its, number, trigger: 'schedule', requestedAt: at } },
      { type: 'SyncCompleted', data: { ...its, changes: 0, completedAt: at } },
    ];
  };
  const age = async (connectionId: string): Promise<void> => {
    const stream: StreamName = `connection-${connectionId}`;
    for (let run = 2; run < oldRuns; run += runsPerAppend) {
      const expected = ((await store.readStream(stream)).length - 1) as Revision;
      const runs = Array.from({ length: runsPerAppend }, (_, n) => runOf(run + n)).flat();
      const events = runs.map((event) => ({ ...event, id: randomUUID() }));
      await store.append({ stream, expected, events, metadata: ownContext(scope).metadata, dataKey: null });
    }
  };
  /** Events read by a whole run: its beginning, an account, its end. */
  const costOfRun = async (connectionId: string, balance: number): Promise<number> => {
    const [before, runId, accountId] = [read, randomUUID(), connectionId];
    const [its, context] = [{ connectionId, at }, ownContext(scope)];
    await aggregates.connection(
      { type: 'StartSync', ...its, scope, runId, trigger: 'caller', cooldownSeconds: 0 },
      context,
    );
    await aggregates.account(
      {
        ...{ type: 'ObserveAccount', ...its, accountId, scope, entityId, key: 'a', currency: 'USD' },
        details: { ...details, currentBalance: String(balance) },
      },
      { ...context, dataKey: connectionId },
    );
    const decision = await aggregates.connection(
      { type: 'CompleteSync', ...its, runId, changes: 1, fault: null },
      context,
    );
    expect(decision).toMatchObject({ outcome: 'accepted', events: [{ type: 'SyncCompleted' }] });
    return read - before;
  };

  test('changes nothing in what its commands read', async () => {
    const old = await open();
    await age(old);
    await costOfRun(old, 0);
    const costs: number[] = [];
    for (let run = 1; run <= 60; run++) costs.push(await costOfRun(old, run));
    // Three commands, each of which reads some tens of events since the last snapshot.
    expect(Math.max(...costs)).toBeLessThan(3 * 30);
  });

  test('shows what the bank said in no snapshot, and none can be read once the key is destroyed', async () => {
    const connectionId = await open();
    for (let run = 1; run <= 40; run++) await costOfRun(connectionId, run + 7_654_321);
    const stream = `account-${connectionId}`;
    const { rows } = await database.pool.query<{ state: string }>(
      "SELECT state #>> '{}' AS state FROM connections.snapshot WHERE stream = $1",
      [stream],
    );
    const cipher = Buffer.from(rows[0]?.state ?? '', 'base64');
    expect(cipher.includes('76543')).toBe(false);
    expect((await dataKeys.decrypt(connectionId, cipher, stream))?.includes('76543')).toBe(true);
    await dataKeys.destroy(connectionId);
    expect(await dataKeys.decrypt(connectionId, cipher, stream)).toBeUndefined();
  });
});
