import type { EventStore } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import { openStore } from './running-system.ts';

/** The services that keep read models; each has its own schema for them. */
export const schemasOf = async (pool: Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ schema: string }>(
    `SELECT schemaname AS schema FROM pg_tables WHERE tablename = 'projection' ORDER BY 1`,
  );
  return rows.map(({ schema }) => schema);
};

type Service = Readonly<{ schema: string; store: EventStore }>;

/** What there is of each service that keeps read models, one after the other. */
export const ofReadModels = async <T>(
  pool: Pool,
  find: (service: Service) => Promise<readonly T[]>,
): Promise<readonly T[]> => {
  const found: T[] = [];
  for (const schema of await schemasOf(pool)) {
    const store = await openStore(process.env, pool, `${schema}_events`);
    try {
      found.push(...(await find({ schema, store })));
    } finally {
      await store.close();
    }
  }
  return found;
};
