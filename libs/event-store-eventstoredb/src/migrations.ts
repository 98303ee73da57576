import { ensureRole, migration, sqlName, type Migration } from '@causeway/postgres';
import { lookedThrough, place } from './functions.sql.ts';
import { tables } from './tables.sql.ts';

/** A service's role reads the order and adds to it by two functions; it can neither change nor delete a place. */
const grants = (schema: string, role: string): string => `
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC;
GRANT USAGE ON SCHEMA ${schema} TO ${role};
GRANT SELECT ON ${schema}.placed, ${schema}.looked_through TO ${role};
GRANT EXECUTE ON FUNCTION ${schema}.place, ${schema}.looked_through TO ${role};`;

/** For `migrate(url, schema, …)`, alone or beside the store in PostgreSQL. `role` is made when it is missing. */
export const eventStoreDbMigrations = (schema: string, role: string): readonly Migration[] => {
  const parts = [tables, place, lookedThrough].map((part) => part(sqlName(schema)));
  return [migration('EventStoreDbOrder1767225600001', [...parts, ensureRole(role), grants(schema, role)].join('\n'))];
};
