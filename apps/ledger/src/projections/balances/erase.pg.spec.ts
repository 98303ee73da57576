import { inTransaction } from '@causeway/postgres';
import type { TableName } from '@causeway/read-models';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { balances } from './balances.projection.ts';
import { migrateLedger } from '../../migrations.ts';
import { eraseBalances } from './balances.store.ts';

const table: TableName = (logical) => `public.${logical}`;

describeWithPostgres('the balances of a connection that goes', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
    await migrateLedger({ databaseUrl: database.url });
    for (const statement of balances.ddl(table)) await database.pool.query(statement);
  });
  afterAll(() => database.drop());

  /** An account with 1,000 days; of every other one no balance is known, so that it is not shown. */
  const opened = async (connectionId: string): Promise<void> => {
    const values = [connectionId, randomUUID()];
    await database.pool.query(
      `INSERT INTO balance_account (connection_id, account_id, entity_id, currency) VALUES ($1, $2, $1, 'USD')`,
      values,
    );
    await database.pool.query(
      `INSERT INTO balances (connection_id, account_id, entity_id, currency, date, ledger_balance, posted_transaction_delta, source)
       SELECT $1, $2, $1, 'USD', date '2020-01-01' + n, nullif(n % 2, 0), 0, 'derived' FROM generate_series(1, 1000) n`,
      values,
    );
  };

  test('are deleted without a look at those of others, and no others are', async () => {
    const [gone, other] = [randomUUID(), randomUUID()];
    for (const connectionId of [gone, other, other, other]) await opened(connectionId);
    const read = await inTransaction(database.pool, async (tx) => {
      await eraseBalances(tx, table, [gone]);
      const { rows } = await tx.query<{ read: number }>(
        `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_xact_user_tables WHERE relname = 'balances'`,
      );
      return rows[0]?.read;
    });
    expect(read).toBe(1000);
    const { rows } = await database.pool.query<object>('SELECT connection_id AS id, count(*) FROM balances GROUP BY 1');
    expect(rows).toEqual([{ id: other, count: 3000 }]);
  });

  const days = async () => (await database.pool.query<{ days: number }>('SELECT days FROM ledger.erased_days')).rows;
  const erase = (connectionId: string) =>
    inTransaction(database.pool, (tx) => eraseBalances(tx, table, [connectionId]));

  test('are counted as they were shown; a rebuild that finds fewer of them, or none, changes nothing of that', async () => {
    await database.pool.query('DELETE FROM ledger.erased_days');
    const gone = randomUUID();
    await opened(gone);
    await erase(gone);
    await erase(gone);
    expect(await days()).toEqual([{ days: 500 }]);
    await opened(gone);
    await database.pool.query(`DELETE FROM balances WHERE connection_id = $1 AND date > '2020-12-31'`, [gone]);
    await erase(gone);
    expect(await days()).toEqual([{ days: 500 }]);
  });
});
