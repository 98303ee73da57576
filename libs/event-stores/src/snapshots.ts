import type { Revision, Snapshots } from '@causeway/event-sourcing';
import { migration, sqlName, type Migration, type Pool } from '@causeway/postgres';

/** The table may be emptied at any time. */
export const snapshotMigrations = (schema: string): readonly Migration[] => [
  migration(
    'Snapshot1767225600000',
    `CREATE TABLE ${sqlName(schema)}.snapshot (
       stream text COLLATE "C" PRIMARY KEY,
       fold_version int NOT NULL,
       revision int NOT NULL,
       state jsonb NOT NULL
     )`,
  ),
];

type Kept = Readonly<{ state: unknown; revision: Revision }>;

/** Snapshots in the service's own schema, whichever store holds its events. */
export const postgresSnapshots = (pool: Pool, schema: string): Snapshots => {
  const table = `${sqlName(schema)}.snapshot`;
  return {
    load: async (stream, foldVersion) => {
      const { rows } = await pool.query<Kept>({
        name: `${schema}.snapshot_load`,
        text: `SELECT revision, state FROM ${table} WHERE stream = $1 AND fold_version = $2`,
        values: [stream, foldVersion],
      });
      return rows[0];
    },
    save: async (stream, foldVersion, { revision, state }) => {
      await pool.query({
        name: `${schema}.snapshot_save`,
        text: `INSERT INTO ${table} AS kept (stream, fold_version, revision, state) VALUES ($1, $2, $3, $4)
               ON CONFLICT (stream) DO UPDATE
                 SET fold_version = excluded.fold_version, revision = excluded.revision, state = excluded.state
                 WHERE kept.fold_version <> excluded.fold_version OR kept.revision < excluded.revision`,
        values: [stream, foldVersion, revision, JSON.stringify(state)],
      });
    },
    drop: async (stream) => {
      await pool.query(`DELETE FROM ${table} WHERE stream = $1`, [stream]);
    },
  };
};
