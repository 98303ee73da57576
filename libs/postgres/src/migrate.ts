import { DataSource, type MigrationInterface } from 'typeorm';
import { keepAlive } from './pool.ts';
import { refuseOldServer, serverVersion, type ServerVersion } from './server-version.ts';

export type Migration = new () => MigrationInterface;

/**
 * Brings one schema up to date, under an advisory lock, so that any number of processes may start at once. The schema
 * is made when it is missing. Migrations expand first and contract in a later release.
 */
export const migrate = async (url: string, schema: string, migrations: readonly Migration[]): Promise<void> => {
  const source = new DataSource({
    type: 'postgres',
    url,
    schema,
    migrations: [...migrations],
    migrationsTableName: 'migration',
    // One session holds the lock, the other migrates.
    poolSize: 2,
    extra: keepAlive,
  });
  await source.initialize();
  const runner = source.createQueryRunner();
  try {
    const [version] = (await runner.query(serverVersion)) as [ServerVersion];
    refuseOldServer(version);
    await runner.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`migrate ${schema}`]);
    await runner.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    await source.runMigrations({ transaction: 'each' });
  } finally {
    await runner
      .query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [`migrate ${schema}`])
      .finally(() => runner.release());
    await source.destroy();
  }
};
