import type { Migration } from './migration.ts';
import { keepAlive, limited } from './pool.ts';
import { refuseOldServer, serverVersion, type ServerVersion } from './server-version.ts';

/** Others may be at the same schema, one after the other; a process that is frozen amid its own loses it soon. */
const limits = { statementMaxMs: 600_000, lockMaxMs: 60_000, idleInTransactionMaxMs: 3000 };

/**
 * Brings one schema up to date in one transaction, under an advisory lock, so that any number of processes may start at
 * once. The schema is made when it is missing. Migrations expand first and contract in a later release.
 */
export const migrate = async (url: string, schema: string, migrations: readonly Migration[]): Promise<void> => {
  // Most commands migrate nothing, and need not wait for it to load.
  const { DataSource, MigrationExecutor } = await import('typeorm');
  const source = new DataSource({
    type: 'postgres',
    url,
    schema,
    migrations: [...migrations],
    migrationsTableName: 'migration',
    poolSize: 1,
    extra: { ...keepAlive, options: limited(limits) },
  });
  await source.initialize();
  const runner = source.createQueryRunner();
  try {
    const [version] = (await runner.query(serverVersion)) as [ServerVersion];
    refuseOldServer(version);
    await runner.startTransaction();
    await runner.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`migrate ${schema}`]);
    await runner.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    const executor = new MigrationExecutor(source, runner);
    executor.transaction = 'none';
    await executor.executePendingMigrations();
    await runner.commitTransaction();
  } finally {
    // What was not committed is undone with the session.
    await runner.release();
    await source.destroy();
  }
};
