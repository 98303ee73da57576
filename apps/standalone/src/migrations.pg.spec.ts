import { readFileSync } from 'node:fs';
import { describeWithPostgres, testDatabase } from '@causeway/testing';
import { migrateConnections } from '@causeway/services/connections/src/migrations.ts';
import { migrateGateway } from '@causeway/services/gateway/src/migrations.ts';
import { migrateLedger } from '@causeway/services/ledger/src/migrations.ts';
import { migrateTransfers } from '@causeway/services/transfers/src/migrations.ts';
import { migrateWebhooks } from '@causeway/services/webhooks/src/migrations.ts';

const services = [migrateConnections, migrateGateway, migrateLedger, migrateTransfers, migrateWebhooks];
const startsEach = 5;

describeWithPostgres('the migrations of the five services', () => {
  test.each([1, 2])('run by many processes of all at once on an empty database, round %d', async () => {
    const database = await testDatabase();
    const migrateAll = () =>
      Promise.all(
        Array.from({ length: startsEach }, () => services)
          .flat()
          .map((migrate) => migrate({ databaseUrl: database.url })),
      );
    const countTables = async (): Promise<number> => {
      const sql = `SELECT count(*) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;
      return ((await database.pool.query<{ count: number }>(sql)).rows[0] as { count: number }).count;
    };
    try {
      await migrateAll();
      const made = await countTables();
      expect(made).toBeGreaterThan(40);
      await migrateAll();
      expect(await countTables()).toBe(made);
    } finally {
      await database.drop();
    }
  });

  test('make no table of which docs/growth.md does not say what removes its rows', async () => {
    const database = await testDatabase();
    try {
      for (const migrate of services) await migrate({ databaseUrl: database.url });
      const { rows } = await database.pool.query<{ name: string }>(
        `SELECT DISTINCT tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
      );
      const growth = readFileSync('docs/growth.md', 'utf8');
      expect(rows.map(({ name }) => name).filter((name) => !growth.includes(name))).toEqual([]);
    } finally {
      await database.drop();
    }
  });
});
