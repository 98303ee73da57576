import { postgresDataKeys } from '@causeway/data-keys';
import type { LedgerEvent } from '@causeway/domain/ledger';
import { beginning, type EventStore, type Revision, type Sequenced, type StreamName } from '@causeway/event-sourcing';
import { postgresEventStore } from '@causeway/event-store-postgres';
import { openLog } from '@causeway/observability';
import { inTransaction } from '@causeway/postgres';
import {
  addRequest,
  finished,
  mendParked,
  parkedStreams,
  projector,
  requestById,
  type Projection,
  type Projector,
} from '@causeway/projections';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ledgerEventsSchema, ledgerSchema as schema, migrateLedger } from '../migrations.ts';
import { balances } from './balances/balances.projection.ts';
import { connections, diceOf, history, uuidOf } from '../../testing/history.ts';
import { transactions } from './transactions/transactions.projection.ts';

const seed = Number(process.env['CAUSEWAY_TEST_SEED'] ?? Date.now() % 1_000_000);
const sick = 2;
const mark = 'poison ';
const soon = 20_000;

type WithContent = { content?: { amount: string } };

const hasContent = ({ data }: LedgerEvent): boolean => (data as WithContent).content !== undefined;

/** As a bank might one day say what no table takes. */
const poisoned = (event: LedgerEvent): LedgerEvent => {
  const { content } = event.data as WithContent;
  if (content === undefined) return event;
  return { ...event, data: { ...event.data, content: { ...content, amount: mark + content.amount } } } as LedgerEvent;
};
const cured = <E extends Sequenced>(event: E): E => {
  const { content } = event.data as WithContent;
  if (!content?.amount.startsWith(mark)) return event;
  return { ...event, data: { ...event.data, content: { ...content, amount: content.amount.slice(mark.length) } } };
};
const able = (projection: Projection): Projection => ({
  ...projection,
  version: projection.version + 1,
  project: (tx, table, batch) => projection.project(tx, table, batch.map(cured)),
});

/** Who polls a view in the order of its changes, and keeps what it was told last of each row. */
const polling = (database: TestDatabase, view: string, key: readonly string[]) => {
  const held = new Map<string, string>();
  let cursor = ['1970-01-01T00:00:00Z', ...key.map((column) => (column === 'date' ? '1970-01-01' : uuidOf('00', 0)))];
  const columns = ['updated_at', ...key];
  const poll = async (): Promise<number> => {
    const sql = `SELECT ARRAY[${columns.map((c) => `${c}::text`).join()}] AS at, v::text AS row
                   FROM read_models.${view} v WHERE (${columns.join()}) > (${columns.map((_, i) => `$${i + 1}`).join()})
                  ORDER BY ${columns.join()} LIMIT 40`;
    const { rows } = await database.pool.query<{ at: string[]; row: string }>(sql, cursor);
    for (const { at, row } of rows) held.set(at.slice(1).join(), row);
    cursor = rows.at(-1)?.at ?? cursor;
    return rows.length;
  };
  return { held, poll };
};

describeWithPostgres(`an account with an event that cannot be folded, seed ${seed} (CAUSEWAY_TEST_SEED)`, () => {
  let database: TestDatabase;
  let store: EventStore;
  const revisions = new Map<StreamName, number>();
  const running: Projector[] = [];

  beforeAll(async () => {
    database = await testDatabase();
    await migrateLedger({ databaseUrl: database.url });
    const { pool } = database;
    const dataKeys = postgresDataKeys({ pool, masterKeys: [{ id: '1', key: Buffer.alloc(32, 7) }] });
    for (const id of connections) await dataKeys.create(id, { organization: 'demo', environment: 'test' });
    store = postgresEventStore({ pool, schema: ledgerEventsSchema, dataKeys });
  });
  afterAll(async () => {
    await Promise.all(running.map((started) => started.stop()));
    await store.close();
    await database.drop();
  });

  const append = async (account: number, events: readonly LedgerEvent[]): Promise<void> => {
    const stream: StreamName = `ledger-${uuidOf('0a', account)}`;
    const revision = revisions.get(stream);
    await store.append<LedgerEvent>({
      stream,
      expected: revision === undefined ? 'no-stream' : (revision as Revision),
      events: events.map((event) => ({ ...event, id: randomUUID() })),
      metadata: { correlationId: 'r', causationId: 'm', organization: 'demo', environment: 'test' },
      dataKey: connections[account >> 1] as string,
    });
    revisions.set(stream, (revision ?? -1) + events.length);
  };
  const run = (projections: readonly Projection[]) => {
    const log = openLog('spec', 'silent');
    const started = projector({ pool: database.pool, schema, store, projections, log, leaseTtlMs: 1000 });
    running.push(started);
    started.start();
    return started;
  };
  const names = [transactions.name, balances.name];
  const verified = async (name: string): Promise<unknown> => {
    const { id } = await addRequest(database.pool, schema, { name, kind: 'verify', whenReady: 'drop' });
    for (;;) {
      const request = await requestById(database.pool, schema, id);
      if (request && finished.includes(request.state)) return [request.state, request.detail];
      await sleep(50);
    }
  };
  /** What the rows of an account say, times apart: live, and as if no event had ever been held back. */
  const contents = async (table: (logical: string) => string): Promise<readonly string[]> => {
    const sql = `SELECT (to_jsonb(r) - 'updated_at' - 'added_at' || jsonb_build_object('json', r.json::jsonb - 'updatedAt'))::text
                        AS row FROM ${table('transactions')} r
                 UNION ALL SELECT (to_jsonb(r) - 'updated_at')::text FROM ${table('balances')} r ORDER BY 1`;
    return (await database.pool.query<{ row: string }>(sql)).rows.map(({ row }) => row);
  };
  const truth = async (): Promise<readonly string[]> => {
    const table = (logical: string): string => `ledger.${logical}_truth`;
    const { events: all } = await store.readAll(beginning, 100_000);
    const events = all.filter(({ stream }) => !stream.startsWith('parking-'));
    for (const projection of [transactions, balances]) {
      for (const statement of projection.ddl(table)) await database.pool.query(statement);
      await inTransaction(database.pool, (tx) => projection.project(tx, table, events.map(cured)));
    }
    return contents(table);
  };

  test('others go on, a client that polls throughout holds the truth, and a rebuild changes nothing', async () => {
    const dice = diceOf(seed);
    const steps = history(seed, 120);
    const firstPoison = steps.findIndex(
      ({ account, events }, i) => i > 30 && account === sick && events.some(hasContent),
    );
    const clients = [
      polling(database, 'transactions_v1', ['id']),
      polling(database, 'balances_v1', ['account_id', 'date']),
    ] as const;
    const first = run([transactions, balances]);
    await first.made();
    let isPolling = true;
    const drain = async () => {
      for (const { poll } of clients) while ((await poll()) > 0);
    };
    const polled = (async () => {
      for (; isPolling; await sleep(dice(20))) for (const { poll } of clients) await poll();
    })();

    for (const [i, { account, events }] of steps.slice(0, 80).entries()) {
      const isPoison = i === firstPoison || (account === sick && i > 20 && dice(4) === 0);
      await append(account, isPoison ? events.map(poisoned) : events);
      if (dice(3) === 0) await sleep(dice(10));
      // An operator who is too early.
      for (const parked of i === 60 ? await parkedStreams(database.pool, schema) : []) await mendParked(store, parked);
    }
    expect(await first.caughtUp(names, soon)).toBe(true);
    expect(await parkedStreams(database.pool, schema)).toHaveLength(2);
    expect(await verified(transactions.name)).toEqual(['equal', null]);
    await first.stop();

    const second = run([able(transactions), able(balances)]);
    for (const { account, events } of steps.slice(80)) {
      await append(account, events);
      await sleep(dice(10));
    }
    while ((await parkedStreams(database.pool, schema)).length > 0) await sleep(20);
    expect(await second.caughtUp(names, soon)).toBe(true);
    isPolling = false;
    await polled;
    await drain();

    for (const [i, view] of ['transactions_v1', 'balances_v1'].entries()) {
      const { rows } = await database.pool.query<{ row: string }>(`SELECT v::text AS row FROM read_models.${view} v`);
      expect([...(clients[i]?.held.values() ?? [])].sort()).toEqual(rows.map(({ row }) => row).sort());
    }
    const live = await database.pool.query<{ name: string; table: string }>(
      `SELECT name, 'ledger.' || name || '_v' || version || '_g' || generation AS "table" FROM ledger.projection WHERE live`,
    );
    const tables = Object.fromEntries(live.rows.map(({ name, table }) => [name, table]));
    expect(await contents((logical) => tables[logical] as string)).toEqual(await truth());
    for (const name of names) expect(await verified(name)).toEqual(['equal', null]);
  });
});
