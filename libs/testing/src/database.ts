import { openPool, type Pool } from '@causeway/postgres';
import { randomUUID } from 'node:crypto';

const serverUrl = process.env['CAUSEWAY_TEST_DATABASE_URL'];

/** For specs that need PostgreSQL. Where none could be started they count as skipped. */
export const describeWithPostgres = (name: string, specs: () => void): void =>
  (serverUrl === undefined ? describe.skip : describe)(name, specs);

export type TestDatabase = Readonly<{ url: string; pool: Pool; drop(): Promise<void> }>;

/** An empty database of its own on the server that the test run started. */
export const testDatabase = async (): Promise<TestDatabase> => {
  if (serverUrl === undefined) throw new Error('CAUSEWAY_TEST_DATABASE_URL is not set: run the specs with npm test');
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const admin = openPool({ url: serverUrl, applicationName: 'testing', connectionsMax: 1 });
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const pool = openPool({ url: url.href, applicationName: 'testing', connectionsMax: 10 });
  const drop = async (): Promise<void> => {
    await pool.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  };
  return { url: url.href, pool, drop };
};
