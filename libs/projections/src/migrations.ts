import { ensureRole, migration, sqlName, type Migration } from '@causeway/postgres';
import { gatewayRole, ownerRoles, readModelsSchema } from '@causeway/read-models';

/**
 * `projection`: one row per generation, the checkpoint of its rows. `recorded_at`: of the newest event up to `position`.
 * `held_for`: the request for which the checkpoint stands still. `tables`: logical names; `ddl`: a hash of what made them;
 * `comparison`: how they are compared.
 */
const projectionTable = (schema: string): string => `
CREATE TABLE ${schema}.projection (
  name text NOT NULL,
  generation int NOT NULL,
  version int NOT NULL,
  live boolean NOT NULL,
  position bigint NOT NULL DEFAULT 0,
  recorded_at timestamptz NOT NULL DEFAULT 'epoch',
  stage text NOT NULL CHECK (stage IN ('building', 'indexing', 'ready', 'live', 'kept')),
  held_for bigint,
  tables text[] NOT NULL,
  ddl text NOT NULL,
  comparison jsonb NOT NULL DEFAULT '{"compared": {}, "forgotten": {}}',
  PRIMARY KEY (name, generation)
);
CREATE UNIQUE INDEX projection_live ON ${schema}.projection (name) WHERE live;`;

/**
 * What an operator or a new version asked for, and how far it is. `correction_id`: what the ids of corrections are made
 * from. `generation`: the one that is filled or gone back to; `corrected_to`: the position of the last correction.
 * `when_ready`: what to do with it; 'ask', 'show': the operator has not said yet, or has and reads the differences first,
 * and keeps `asked_at` fresh meanwhile. `events`, `total`: positions done and to be done.
 */
const requestTable = (schema: string): string => `
CREATE TABLE ${schema}.projection_request (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  correction_id uuid NOT NULL DEFAULT gen_random_uuid(),
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('rebuild', 'upgrade', 'rollback', 'verify', 'drop')),
  when_ready text NOT NULL CHECK (when_ready IN ('switch', 'drop', 'ask', 'show', 'cancel')),
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN (
    'waiting', 'building', 'indexing', 'ready', 'switching', 'correcting',
    'switched', 'discarded', 'cancelled', 'equal', 'different', 'dropped', 'failed')),
  reason text,
  operator text,
  generation int,
  scope jsonb,
  corrected_to bigint,
  events bigint NOT NULL DEFAULT 0,
  total bigint NOT NULL DEFAULT 0,
  added bigint NOT NULL DEFAULT 0,
  changed bigint NOT NULL DEFAULT 0,
  removed bigint NOT NULL DEFAULT 0,
  detail text,
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp()
);`;

/**
 * Kept for good, so that every generation holds the same events back. `through`: the last revision held back.
 * `position`: of the event that could not be folded; `tried_at`, `mended_at`: of the newest mend that failed, and of the
 * one that did not. `version`: the one that could not.
 */
const parkedTable = (schema: string): string => `
CREATE TABLE ${schema}.parked (
  name text NOT NULL,
  generation int NOT NULL,
  stream text COLLATE "C" NOT NULL,
  from_revision int NOT NULL,
  through int NOT NULL,
  position bigint NOT NULL,
  tried_at bigint NOT NULL,
  mended_at bigint,
  version int NOT NULL,
  reason text NOT NULL,
  told boolean NOT NULL DEFAULT false,
  attempts int NOT NULL DEFAULT 1,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_failed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (name, generation, stream, from_revision)
);
CREATE INDEX parked_stream ON ${schema}.parked (stream);`;

/** For `migrate(url, schema, …)`, after `serviceSchemaMigrations` and `leaseMigrations` of the same schema. */
export const projectionMigrations = (schema: string): readonly Migration[] => [
  migration(
    'Projection1767225600000',
    [projectionTable, requestTable, parkedTable].map((table) => table(sqlName(schema))).join('\n'),
  ),
];

const viewRoles = [gatewayRole, ...ownerRoles];

/** For `migrate(url, readModelsSchema, readModelsMigrations)`, which every owner runs before it makes a view. */
export const readModelsMigrations: readonly Migration[] = [
  migration(
    'ReadModels1760000000001',
    `${viewRoles.map(ensureRole).join('\n')}
     GRANT USAGE ON SCHEMA ${readModelsSchema} TO ${viewRoles.join(', ')};
     GRANT CREATE ON SCHEMA ${readModelsSchema} TO ${ownerRoles.join(', ')};`,
  ),
];
