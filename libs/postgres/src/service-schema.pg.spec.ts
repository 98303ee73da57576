import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { leaseMigrations } from './lease.ts';
import { migrate } from './migrate.ts';
import { openPool } from './pool.ts';
import { serviceSchemaMigrations } from './service-schema.ts';

describeWithPostgres('the schema of a service', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
    for (const name of ['ledger', 'transfers']) {
      const migrations = [...leaseMigrations(name), ...serviceSchemaMigrations(name, `suite_${name}`)];
      await migrate(database.url, name, migrations);
    }
  });
  afterAll(() => database.drop());

  test('is its role’s own: it writes what migrations made and makes tables; another’s role enters nothing', async () => {
    const pool = openPool({ url: database.url, applicationName: 'suite', role: 'suite_ledger' });
    try {
      await pool.query(`INSERT INTO ledger.lease VALUES ('a', 'b', 1, now())`);
      await pool.query('CREATE TABLE ledger.rebuilt (n int)');
      await expect(pool.query('SELECT * FROM transfers.lease')).rejects.toThrow('permission denied');
    } finally {
      await pool.end();
    }
  });
});
