import { openPool } from '@causeway/postgres';

/**
 * Whoever held a lease on this data is dead: one system runs on a data directory at a time. Without this, what a killed
 * one held would stand still until it ran out. A holder that is alive all the same is refused by its epoch.
 */
export const endLeases = async (databaseUrl: string, schemas: readonly string[]): Promise<void> => {
  const pool = openPool({ url: databaseUrl, applicationName: 'standalone', connectionsMax: 1 });
  try {
    for (const schema of schemas) {
      await pool.query(
        `UPDATE "${schema}".lease SET expires_at = clock_timestamp() WHERE expires_at > clock_timestamp()`,
      );
    }
  } finally {
    await pool.end();
  }
};
