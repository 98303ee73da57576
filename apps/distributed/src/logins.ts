import { ensureRole, openPool, sqlName } from '@causeway/postgres';
import { hkdfSync } from 'node:crypto';

/** Derived, so that it is written nowhere; a letter and a digit never need quoting. */
const passwordOf = (secret: string, login: string): string =>
  Buffer.from(hkdfSync('sha256', secret, '', `causeway login ${login}`, 24)).toString('hex');

/**
 * A login for each service that may do what its role may, and nothing else. `databaseUrl`: as the owner, who may make
 * roles. The answer: where each service logs in.
 */
export const serviceLogins = async (
  databaseUrl: string,
  secret: string,
  services: readonly string[],
): Promise<(service: string) => string> => {
  const loginOf = (service: string): string => sqlName(`causeway_${service}_login`);
  const pool = openPool({ url: databaseUrl, applicationName: 'logins', connectionsMax: 1 });
  try {
    for (const service of services) {
      const [role, login] = [`causeway_${service}`, loginOf(service)];
      const { rowCount } = await pool.query('SELECT FROM pg_roles WHERE rolname = $1', [login]);
      if (rowCount === 0) await pool.query(`${ensureRole(role)} CREATE ROLE ${login} IN ROLE ${role}`);
      await pool.query(`ALTER ROLE ${login} LOGIN PASSWORD '${passwordOf(secret, login)}'`);
    }
  } finally {
    await pool.end();
  }
  return (service) => {
    const url = new URL(databaseUrl);
    url.username = loginOf(service);
    url.password = passwordOf(secret, loginOf(service));
    return url.href;
  };
};

/** The same where data keys are in a database of their own, as settings. */
export const keysLogins = async (
  keysDatabaseUrl: string | undefined,
  secret: string,
  services: readonly string[],
): Promise<(service: string) => Readonly<Record<string, string>>> => {
  if (keysDatabaseUrl === undefined) return () => ({});
  const loginUrl = await serviceLogins(keysDatabaseUrl, secret, services);
  return (service) => ({
    CAUSEWAY_KEYS_DATABASE_URL: loginUrl(service),
    CAUSEWAY_KEYS_MIGRATION_DATABASE_URL: keysDatabaseUrl,
  });
};
