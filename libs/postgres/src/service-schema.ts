import { migration, type Migration } from './migration.ts';
import { ensureRole, sqlName } from './role.ts';

/** A service's own schema: its role does what it likes there, also with the tables that later migrations make. */
export const serviceSchemaMigrations = (schema: string, role: string): readonly Migration[] => [
  // Before every other of the schema: default privileges reach only what is made after them.
  migration(
    'ServiceSchema1767225500000',
    `${ensureRole(role)}
     GRANT USAGE, CREATE ON SCHEMA ${sqlName(schema)} TO ${role};
     ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};
     ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE ON SEQUENCES TO ${role}`,
  ),
];
