import { newStream, numbered } from '@causeway/event-sourcing/testing';
import { migrate } from '@causeway/postgres';
import { describeWithPostgres, testDatabase } from '@causeway/testing';
import { eventStoreMigrations } from './migrations.ts';
import { postgresStoreUnderTest, role, schema, type PostgresStoreUnderTest } from './testing/store.ts';

const tables = ['append', 'erased_stream', 'unsequenced', 'sequenced'];

describeWithPostgres('the role of a service', () => {
  let made: PostgresStoreUnderTest;
  beforeAll(async () => {
    made = await postgresStoreUnderTest();
    await made.store.append(numbered(newStream(), 0));
    await made.store.head();
  });
  afterAll(() => made.close());

  const denied = (sql: string): Promise<void> =>
    expect(made.pool.query(sql)).rejects.toThrow(/permission denied|must be owner/);

  test.each(tables)('can neither change, delete, truncate nor write %s by itself', async (table) => {
    await denied(`UPDATE ${schema}.${table} SET stream = stream`);
    await denied(`DELETE FROM ${schema}.${table}`);
    await denied(`TRUNCATE ${schema}.${table}`);
    await denied(`INSERT INTO ${schema}.${table} OVERRIDING SYSTEM VALUE SELECT * FROM ${schema}.${table}`);
    await denied(`DROP TABLE ${schema}.${table}`);
    await denied(`ALTER TABLE ${schema}.${table} OWNER TO ${role}`);
  });

  test('cannot make anything in the schema, nor replace a function', async () => {
    await denied(`CREATE TABLE ${schema}.mine (n int)`);
    await denied(`DROP FUNCTION ${schema}.erase_stream`);
    await denied(`CREATE OR REPLACE FUNCTION ${schema}.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`);
  });

  test('is the only one that may call: others reach no function and no table', async () => {
    const client = await made.owner.connect();
    try {
      await client.query(`CREATE ROLE ${schema}_stranger; SET ROLE ${schema}_stranger`);
      await expect(client.query(`SELECT ${schema}.erase_stream('thing-1')`)).rejects.toThrow('permission denied');
      await expect(client.query(`SELECT ${schema}.sequence(1)`)).rejects.toThrow('permission denied');
      await expect(client.query(`SELECT * FROM ${schema}.append`)).rejects.toThrow('permission denied');
      await client.query(`RESET ROLE; DROP ROLE ${schema}_stranger`);
    } finally {
      client.release(true);
    }
  });
});

describeWithPostgres('the migrations', () => {
  test('run at the same time by many, in one database and in several, and again later', async () => {
    const databases = await Promise.all([testDatabase(), testDatabase(), testDatabase()]);
    const start = (url: string): Promise<void> =>
      migrate(url, schema, eventStoreMigrations(schema, 'causeway_spec_starts'));
    try {
      await Promise.all([...databases, ...databases].map(({ url }) => start(url)));
      await Promise.all(databases.map(({ url }) => start(url)));
      for (const { pool } of databases) {
        expect((await pool.query(`SELECT * FROM ${schema}.sequence(1)`)).rows).toEqual([
          { last_position: 0, more: false },
        ]);
      }
    } finally {
      await Promise.all(databases.map((database) => database.drop()));
    }
  });

  test('leave room for several stores in one database', async () => {
    const database = await testDatabase();
    try {
      for (const service of ['ledger', 'transfers']) {
        await migrate(
          database.url,
          `${service}_events`,
          eventStoreMigrations(`${service}_events`, `causeway_spec_${service}`),
        );
      }
      const { rows } = await database.pool.query(
        'SELECT ledger.more, transfers.more FROM ledger_events.sequence(1) ledger, transfers_events.sequence(1) transfers',
      );
      expect(rows).toHaveLength(1);
    } finally {
      await database.drop();
    }
  });
});
