import { ensureRole, migration, sqlName, type Migration } from '@causeway/postgres';
import { append, appendGroup, eraseStream, sequence } from './functions.sql.ts';
import { correlationIndex, tables } from './tables.sql.ts';

/** A service's role reads the tables and calls the functions; it can neither change nor delete what was recorded. */
const grants = (schema: string, role: string): string => `
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC;
GRANT USAGE ON SCHEMA ${schema} TO ${role};
GRANT SELECT ON ${schema}.append, ${schema}.erased_stream, ${schema}.unsequenced, ${schema}.sequenced TO ${role};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${role};`;

/** For `migrate(url, schema, …)`. `role` is made when it is missing; the service's sessions run as it. */
export const eventStoreMigrations = (schema: string, role: string): readonly Migration[] => {
  const parts = [tables, correlationIndex, append, appendGroup, sequence, eraseStream].map((part) =>
    part(sqlName(schema)),
  );
  return [migration('EventStore1767225600000', [...parts, ensureRole(role), grants(schema, role)].join('\n'))];
};
