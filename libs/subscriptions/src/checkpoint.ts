import { beginning, type Position } from '@causeway/event-sourcing';
import { LeaseLost, migration, type Lease, type Migration, type Pool, type PoolClient } from '@causeway/postgres';

export const relayMigrations = (schema: string): readonly Migration[] => [
  migration(
    'RelayCheckpoint1767225600000',
    `CREATE TABLE "${schema}".relay_checkpoint (
       name text PRIMARY KEY,
       position bigint NOT NULL
     )`,
  ),
];

export type CheckpointName = Readonly<{ schema: string; name: string }>;

export const readCheckpoint = async (pool: Pool, { schema, name }: CheckpointName): Promise<Position> => {
  const sql = `SELECT position FROM "${schema}".relay_checkpoint WHERE name = $1`;
  const { rows } = await pool.query<{ position: Position }>(sql, [name]);
  return rows[0]?.position ?? beginning;
};

/**
 * Refused with `LeaseLost` to a runner that was replaced: the checkpoint never goes backwards. One statement, and so one
 * round trip: a walk that has nothing to do with most events moves its checkpoint over every page of a first sync.
 */
export const moveCheckpoint = async (
  db: Pool | PoolClient,
  { schema, name, epoch }: Lease,
  position: Position,
): Promise<void> => {
  const { rowCount } = await db.query({
    name: `${schema}.move_relay_checkpoint`,
    text: `WITH held AS MATERIALIZED (SELECT name FROM "${schema}".lease WHERE name = $1 AND epoch = $3 FOR KEY SHARE)
           INSERT INTO "${schema}".relay_checkpoint (name, position) SELECT held.name, $2 FROM held
           ON CONFLICT (name) DO UPDATE SET position = excluded.position`,
    values: [name, position, epoch],
  });
  if (rowCount !== 1) throw new LeaseLost(`${schema}.${name}: no longer held in epoch ${epoch}`);
};
