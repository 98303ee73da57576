import { ensureRole, sqlName, type Migration } from '@causeway/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { append, appendGroup, eraseStream, sequence } from './functions.sql.ts';
import { tables } from './tables.sql.ts';

/** A service's role reads the tables and calls the functions; it can neither change nor delete what was recorded. */
const grants = (schema: string, role: string): string => `
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC;
GRANT USAGE ON SCHEMA ${schema} TO ${role};
GRANT SELECT ON ${schema}.append, ${schema}.erased_stream, ${schema}.unsequenced, ${schema}.sequenced TO ${role};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${role};`;

/** For `migrate(url, schema, …)`. `role` is made when it is missing; the service's sessions run as it. */
export const eventStoreMigrations = (schema: string, role: string): readonly Migration[] => [
  class implements MigrationInterface {
    readonly name = 'EventStore1767225600000';

    async up(runner: QueryRunner): Promise<void> {
      for (const part of [tables, append, appendGroup, sequence, eraseStream])
        await runner.query(part(sqlName(schema)));
      await runner.query(ensureRole(role));
      await runner.query(grants(schema, role));
    }

    async down(runner: QueryRunner): Promise<void> {
      const names = (list: readonly string[]): string => list.map((name) => `${schema}.${name}`).join(', ');
      await runner.query(`DROP FUNCTION ${names(['append', 'append_group', 'sequence', 'erase_stream'])}`);
      await runner.query(`DROP TABLE ${names(['append', 'erased_stream', 'unsequenced', 'sequenced'])}`);
    }
  },
];
