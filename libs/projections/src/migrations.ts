import { sqlName, type Migration } from '@causeway/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `projection`: one row per generation, the checkpoint of its rows. `recorded_at`: of the newest event up to `position`.
 * `failure` with `failed_position`: the event that could not be projected; nothing after it is.
 */
const tables = (schema: string): string => `
CREATE TABLE ${schema}.projection (
  name text NOT NULL,
  generation int NOT NULL,
  version int NOT NULL,
  live boolean NOT NULL,
  position bigint NOT NULL DEFAULT 0,
  recorded_at timestamptz NOT NULL DEFAULT 'epoch',
  failed_position bigint,
  failure text,
  PRIMARY KEY (name, generation)
);
CREATE UNIQUE INDEX projection_live ON ${schema}.projection (name) WHERE live;

-- What an operator asked for, and how far it is. when_ready: what to do with the generation that was built; 'ask': the
-- operator has not said yet, and keeps asked_at fresh while thinking. events, total: positions done and to be done.
CREATE TABLE ${schema}.projection_request (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('rebuild', 'verify')),
  when_ready text NOT NULL CHECK (when_ready IN ('switch', 'drop', 'ask')),
  state text NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'building', 'indexing', 'ready', 'switched', 'dropped', 'equal', 'different', 'failed')),
  generation int,
  events bigint NOT NULL DEFAULT 0,
  total bigint NOT NULL DEFAULT 0,
  detail text,
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp()
);`;

/** For `migrate(url, schema, …)`, after `serviceSchemaMigrations` and `leaseMigrations` of the same schema. */
export const projectionMigrations = (schema: string): readonly Migration[] => [
  class implements MigrationInterface {
    readonly name = 'Projection1767225600000';

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(tables(sqlName(schema)));
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`DROP TABLE ${sqlName(schema)}.projection, ${sqlName(schema)}.projection_request`);
    }
  },
];
