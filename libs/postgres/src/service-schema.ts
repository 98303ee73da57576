import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { Migration } from './migrate.ts';
import { ensureRole, sqlName } from './role.ts';

/** A service's own schema: its role does what it likes there, also with the tables that later migrations make. */
export const serviceSchemaMigrations = (schema: string, role: string): readonly Migration[] => [
  class implements MigrationInterface {
    /** Before every other of the schema: default privileges reach only what is made after them. */
    readonly name = 'ServiceSchema1767225500000';

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(ensureRole(role));
      await runner.query(`
        GRANT USAGE, CREATE ON SCHEMA ${sqlName(schema)} TO ${role};
        ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};
        ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE ON SEQUENCES TO ${role}`);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`
        ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} REVOKE ALL ON SEQUENCES FROM ${role};
        ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} REVOKE ALL ON TABLES FROM ${role};
        REVOKE USAGE, CREATE ON SCHEMA ${schema} FROM ${role}`);
    }
  },
];
