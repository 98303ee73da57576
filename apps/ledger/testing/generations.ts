import { postgresDataKeys } from '@causeway/data-keys';
import { beginning, timestampOf, type Event, type EventStore, type Sequenced } from '@causeway/event-sourcing';
import { postgresEventStore } from '@causeway/event-store-postgres';
import { inTransaction } from '@causeway/postgres';
import type { Correction, Difference, Projection } from '@causeway/projections';
import type { TableName } from '@causeway/read-models';
import { testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { ledgerEventsSchema, migrateLedger } from '../src/migrations.ts';
import { connections, history, uuidOf } from './history.ts';

/** A ledger with a random history, and generations of a read model that are folded from it by hand. */
export const openGenerations = async (seed: number, length: number) => {
  const database: TestDatabase = await testDatabase();
  await migrateLedger({ databaseUrl: database.url });
  const { pool } = database;
  const dataKeys = postgresDataKeys({ pool, masterKeys: [{ id: '1', key: Buffer.alloc(32, 7) }] });
  for (const id of connections) await dataKeys.create(id, { organization: 'demo', environment: 'test' });
  const stores: EventStore[] = [];
  /** Another knows nothing of what was appended by the one before. */
  const newStore = (): EventStore => {
    stores.push(postgresEventStore({ pool, schema: ledgerEventsSchema, dataKeys }));
    return stores.at(-1)!;
  };
  const store = newStore();

  const append = async (account: number, events: readonly Event[]): Promise<void> => {
    const stream = `ledger-${uuidOf('0a', account)}` as const;
    const expected = (await store.readStream(stream)).at(-1)?.revision ?? ('no-stream' as const);
    const metadata = { correlationId: 'r', causationId: 'm', organization: 'demo', environment: 'test' } as const;
    const stored = events.map((event) => ({ ...event, id: randomUUID() }));
    await store.append({
      stream,
      expected,
      events: stored,
      metadata,
      dataKey: connections[account >> 1]!,
    });
  };
  const steps = [...history(seed, length)];
  /** The next steps of the history. */
  const goOn = async (count: number): Promise<void> => {
    for (const { account, events } of steps.splice(0, count)) await append(account, events);
  };

  const recorded = async (): Promise<readonly Sequenced[]> => {
    await store.head();
    return (await store.readAll(beginning, 100_000)).events;
  };

  let generations = 0;
  /** Tables of their own, filled with what was recorded up to now. */
  const folded = async (projection: Projection) => {
    const mark = `g${++generations}`;
    const table: TableName = (logical) => `ledger.${logical}_${mark}`;
    for (const statement of [...projection.ddl(table), ...projection.indexes(table)]) await pool.query(statement);
    let done = 0;
    const follow = async (): Promise<void> => {
      const events = await recorded();
      await inTransaction(pool, (tx) => projection.project(tx, table, events.slice(done)));
      done = events.length;
    };
    await follow();
    return { table, follow };
  };

  /** As the switch to another generation does it. `live`: the one that is held. */
  const corrected = async (
    projection: Projection,
    {
      live,
      next,
      differences,
      by,
    }: Readonly<{ live: TableName; next: TableName; differences: readonly Difference[]; by: Correction }>,
  ): Promise<void> => {
    const position = (await recorded()).findLast(({ metadata }) => metadata.correlationId !== by.id)?.position ?? 0;
    await pool.query(
      `INSERT INTO ledger.projection (name, generation, version, live, stage, position, tables, ddl)
       VALUES ($1, 1, 1, true, 'live', $2, '{}', '') ON CONFLICT (name, generation) DO UPDATE SET position = $2`,
      [projection.name, position],
    );
    const between = { pool, store: newStore(), live, next, held: new Set<`${string}-${string}`>() };
    await projection.correct?.(between, differences, by);
  };

  /** When anything was recorded, oldest first. */
  const instants = async (): Promise<readonly string[]> => [
    ...new Set((await recorded()).map(({ recordedAt }) => timestampOf(recordedAt))),
  ];
  const close = async (): Promise<void> => {
    for (const each of stores) await each.close();
    await database.drop();
  };
  return { pool, newStore, goOn, recorded, folded, corrected, instants, close };
};

export type Generations = Awaited<ReturnType<typeof openGenerations>>;
