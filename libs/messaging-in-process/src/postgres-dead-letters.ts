import type { DeadLetters } from '@causeway/messaging';
import type { Migration, Pool } from '@causeway/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export const deadLetterMigrations = (schema: string): readonly Migration[] => [
  class implements MigrationInterface {
    readonly name = 'DeadLetter1767225600000';

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(`
        CREATE TABLE "${schema}".dead_letter (
          id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
          consumer_group text NOT NULL,
          topic text NOT NULL,
          message_id text NOT NULL,
          message jsonb NOT NULL,
          attachment bytea,
          reason text NOT NULL,
          attempts integer NOT NULL,
          first_failed_at timestamptz NOT NULL,
          last_failed_at timestamptz NOT NULL,
          UNIQUE (consumer_group, topic, message_id)
        )`);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`DROP TABLE "${schema}".dead_letter`);
    }
  },
];

export const postgresDeadLetters = (pool: Pool, schema: string): DeadLetters => ({
  add: async ({ group, topic, message, reason, attempts, firstFailedAt, lastFailedAt }) => {
    const { attachment = null, ...rest } = message;
    await pool.query(
      `INSERT INTO "${schema}".dead_letter AS letter (consumer_group, topic, message_id, message, attachment, reason,
                                                      attempts, first_failed_at, last_failed_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (consumer_group, topic, message_id) DO UPDATE
         SET reason = excluded.reason,
             attempts = letter.attempts + excluded.attempts,
             last_failed_at = excluded.last_failed_at`,
      [group, topic, message.id, JSON.stringify(rest), attachment, reason, attempts, firstFailedAt, lastFailedAt],
    );
  },
});
