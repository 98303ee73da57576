import type { DeadLetterBox, DeadLetters, KeptLetter, Message } from '@causeway/messaging';
import { migration, type Migration, type Pool } from '@causeway/postgres';

/** `retry_asked_at`: an operator wants it delivered again. Cleared when that has failed. */
export const deadLetterMigrations = (schema: string): readonly Migration[] => [
  migration(
    'DeadLetter1767225600000',
    `CREATE TABLE "${schema}".dead_letter (
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
       retry_asked_at timestamptz,
       UNIQUE (consumer_group, topic, message_id)
     )`,
  ),
];

export type PostgresDeadLetters = DeadLetters &
  Omit<DeadLetterBox, 'close'> & {
    /** Those that an operator wants delivered again. */
    asked(): Promise<readonly KeptLetter[]>;
  };

type Row = Readonly<{
  id: string;
  consumer_group: string;
  topic: string;
  message: Omit<Message, 'attachment'>;
  attachment: Buffer | null;
  reason: string;
  attempts: number;
  first_failed_at: string;
  last_failed_at: string;
}>;

const letterOf = ({ attachment, message, ...row }: Row): KeptLetter => ({
  id: row.id,
  group: row.consumer_group,
  topic: row.topic,
  message: attachment === null ? message : { ...message, attachment },
  reason: row.reason,
  attempts: row.attempts,
  firstFailedAt: row.first_failed_at,
  lastFailedAt: row.last_failed_at,
});

export const postgresDeadLetters = (pool: Pool, schema: string): PostgresDeadLetters => {
  const table = `"${schema}".dead_letter`;
  const read = async (where: string): Promise<readonly KeptLetter[]> => {
    const { rows } = await pool.query<Row>(`SELECT * FROM ${table} WHERE ${where} ORDER BY first_failed_at, id`);
    return rows.map(letterOf);
  };
  const one = 'WHERE id::text = lower($1)';
  const changed = async (statement: string, id: string): Promise<boolean> =>
    (await pool.query(statement, [id])).rowCount === 1;

  return {
    add: (letter) => add(pool, table, letter),
    list: () => read('true'),
    asked: () => read('retry_asked_at IS NOT NULL'),
    retry: async (id) => {
      const statement = `UPDATE ${table} SET retry_asked_at = clock_timestamp() ${one}`;
      return (await changed(statement, id)) ? 'asked' : 'unknown';
    },
    drop: async (id) => ((await changed(`DELETE FROM ${table} ${one}`, id)) ? 'dropped' : 'unknown'),
  };
};

const add = async (pool: Pool, table: string, letter: Parameters<DeadLetters['add']>[0]): Promise<void> => {
  const { group, topic, message, reason, attempts, firstFailedAt, lastFailedAt } = letter;
  const { attachment = null, ...rest } = message;
  await pool.query(
    `INSERT INTO ${table} AS letter (consumer_group, topic, message_id, message, attachment, reason,
                                     attempts, first_failed_at, last_failed_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (consumer_group, topic, message_id) DO UPDATE
       SET reason = excluded.reason,
           attempts = letter.attempts + excluded.attempts,
           last_failed_at = excluded.last_failed_at,
           retry_asked_at = NULL`,
    [group, topic, message.id, JSON.stringify(rest), attachment, reason, attempts, firstFailedAt, lastFailedAt],
  );
};
