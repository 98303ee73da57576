import { beginning, type Position } from '@causeway/event-sourcing';
import { holdLease, inTransaction, type Lease, type Migration, type Pool } from '@causeway/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export const relayMigrations = (schema: string): readonly Migration[] => [
  class implements MigrationInterface {
    readonly name = 'RelayCheckpoint1767225600000';

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(`
        CREATE TABLE "${schema}".relay_checkpoint (
          name text PRIMARY KEY,
          position bigint NOT NULL
        )`);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`DROP TABLE "${schema}".relay_checkpoint`);
    }
  },
];

export type CheckpointName = Readonly<{ schema: string; name: string }>;

export const readCheckpoint = async (pool: Pool, { schema, name }: CheckpointName): Promise<Position> => {
  const sql = `SELECT position FROM "${schema}".relay_checkpoint WHERE name = $1`;
  const { rows } = await pool.query<{ position: Position }>(sql, [name]);
  return rows[0]?.position ?? beginning;
};

/** Refused with `LeaseLost` to a runner that was replaced: the checkpoint never goes backwards. */
export const moveCheckpoint = (pool: Pool, lease: Lease, position: Position): Promise<void> =>
  inTransaction(pool, async (tx) => {
    await holdLease(tx, lease);
    await tx.query(
      `INSERT INTO "${lease.schema}".relay_checkpoint (name, position) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET position = excluded.position`,
      [lease.name, position],
    );
  });
