import type { DataKeys } from '@causeway/data-keys';
import { eventStoreMigrations, postgresEventStore } from '@causeway/event-store-postgres';
import { timestampOf, type EventStore, type Position, type StreamName } from '@causeway/event-sourcing';
import { leaseMigrations, migrate, serviceSchemaMigrations, type Pool } from '@causeway/postgres';
import { testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { projectionMigrations } from '../migrations.ts';
import type { Projection } from '../projection.ts';
import { projector, type Projector, type ProjectorOptions } from '../projector.ts';
import { rowProjection } from '../row-projection.ts';

/** A service with the smallest read model that can go wrong: how often each name was counted, and when last. */
export type Counted = { type: 'Counted'; data: { name: string } };
export type Tally = Readonly<{ name: string; times: string; updatedAt: string }>;

export const schema = 'counting';
const role = 'causeway_counting';

export const noKeys: DataKeys = {
  create: async () => undefined,
  isOf: async () => true,
  destroy: async () => '2026-03-01T00:00:00.000Z',
  encrypt: async (_connectionId, plain) => plain,
  decrypt: async (_connectionId, cipher) => cipher,
};

export const tally = (change: Partial<Projection> = {}, name = 'tally'): Projection => ({
  ...rowProjection<Tally, Counted>({
    name,
    version: 1,
    table: name,
    columns: { name: 'text', times: 'numeric', updatedAt: 'timestamptz' },
    key: 'name',
    keysOf: ({ type, data }) => (type === 'Counted' ? [data.name] : []),
    apply: (row, { data, recordedAt }) => ({
      name: data.name,
      times: String(Number(row?.times ?? 0) + 1),
      updatedAt: timestampOf(recordedAt),
    }),
    indexes: ['(times)'],
    views: (table) => [
      `DROP VIEW IF EXISTS ${schema}.${name}_v1`,
      `CREATE VIEW ${schema}.${name}_v1 AS SELECT name, times::int FROM ${table(name)}`,
    ],
  }),
  ...change,
});

export type Counting = Readonly<{
  url: string;
  pool: Pool;
  store: EventStore;
  /** Appends one event for each name, in one append. */
  count(...names: string[]): Promise<Position>;
  countIn(stream: StreamName, ...names: string[]): Promise<Position>;
  tallies(projection?: string): Promise<Record<string, number>>;
  generations(): Promise<readonly object[]>;
  run(projections: readonly Projection[], options?: Partial<ProjectorOptions>): Projector;
  close(): Promise<void>;
}>;

const metadata = { correlationId: 'c', causationId: 'c', organization: null, environment: null };

const queries = ({ pool }: TestDatabase) => ({
  tallies: async (projection = 'tally') => {
    const sql = `SELECT name, times FROM ${schema}.${projection}_v1 ORDER BY name`;
    const { rows } = await pool.query<{ name: string; times: number }>(sql);
    return Object.fromEntries(rows.map(({ name, times }) => [name, times]));
  },
  generations: async () => {
    const sql = `SELECT name, version, generation, live FROM ${schema}.projection ORDER BY name, generation`;
    return (await pool.query<object>(sql)).rows;
  },
});

export const openCounting = async (): Promise<Counting> => {
  const database = await testDatabase();
  const { url, pool } = database;
  const migrations = [
    ...serviceSchemaMigrations(schema, role),
    ...leaseMigrations(schema),
    ...projectionMigrations(schema),
  ];
  await migrate(url, schema, migrations);
  await migrate(url, `${schema}_events`, eventStoreMigrations(`${schema}_events`, role));
  const store = postgresEventStore({ pool, schema: `${schema}_events`, dataKeys: noKeys });
  const projectors: Projector[] = [];
  const countIn = async (stream: StreamName, ...names: string[]): Promise<Position> => {
    const events = names.map((name) => ({ type: 'Counted', data: { name }, id: randomUUID() }));
    const expected = (await store.readStream(stream)).at(-1)?.revision ?? 'no-stream';
    await store.append({ stream, expected, events, metadata, dataKey: null });
    return store.head();
  };
  return {
    url,
    pool,
    store,
    count: (...names) => countIn(`count-${randomUUID()}`, ...names),
    countIn,
    ...queries(database),
    run: (projections, options = {}) => {
      const log = pino({ level: 'silent' });
      const started = projector({ pool, schema, store, projections, log, leaseTtlMs: 400, ...options });
      projectors.push(started);
      started.start();
      return started;
    },
    close: async () => {
      await Promise.all(projectors.map((started) => started.stop()));
      await store.close();
      await database.drop();
    },
  };
};
