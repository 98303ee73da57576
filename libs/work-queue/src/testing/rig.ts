import { migrate, type Pool } from '@causeway/postgres';
import { testDatabase, type TestDatabase } from '@causeway/testing';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { putWork, workQueueMigrations, type WorkItem } from '../work-item.ts';
import { startWorkers, type Worker } from '../workers.ts';

export const schema = 'work';

/** A database with a queue, and workers that end after each test. */
export const queueRig = () => {
  const stops: (() => Promise<void>)[] = [];
  const warned: Readonly<Record<string, unknown>>[] = [];
  const write = (line: Buffer, _: string, done: () => void): void => {
    warned.push(JSON.parse(line.toString()) as Record<string, unknown>);
    done();
  };
  const log = pino({ base: null }, new Writable({ write }));
  let database: TestDatabase;
  let statements = 0;

  beforeAll(async () => {
    database = await testDatabase();
    await migrate(database.url, schema, workQueueMigrations(schema));
  });
  beforeEach(() => {
    warned.length = 0;
    statements = 0;
  });
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()));
    await database.pool.query(`DELETE FROM ${schema}.work_item`);
  });
  afterAll(() => database.drop());

  const counting = (): Pool => {
    const { pool } = database;
    const query = (...args: Parameters<Pool['query']>) => {
      statements += 1;
      return pool.query(...args);
    };
    return { query } as unknown as Pool;
  };
  return {
    warned,
    url: () => database.url,
    pool: (): Pool => database.pool,
    statements: () => statements,
    put: (...items: (Partial<WorkItem> & { id: string })[]): Promise<void> =>
      putWork(
        database.pool,
        schema,
        items.map((item) => ({ kind: 'job', organization: 'a', environment: 'test', institution: null, ...item })),
      ),
    /** Each call is a process of its own, as far as the queue knows. */
    start: (work: Worker['work'], slots = 8, kind = 'job') => {
      const workers = startWorkers({ pool: counting(), schema, workers: [{ kind, slots, work }], log });
      stops.push(() => workers.stop());
      return workers;
    },
    rows: async (): Promise<readonly Record<string, unknown>[]> =>
      (
        await database.pool.query<Record<string, unknown>>(
          `SELECT id, holder IS NOT NULL AS claimed, attempts, due_at <= clock_timestamp() AS due
             FROM ${schema}.work_item ORDER BY id`,
        )
      ).rows,
  };
};
