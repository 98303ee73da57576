import type { Pool } from '@causeway/postgres';
import { pipeline } from 'node:stream/promises';
import { from, to } from 'pg-copy-streams';

const tables = ['append', 'erased_stream', 'unsequenced', 'sequenced'];

/** What a dump that is restored does: every table by COPY, and the state of the sequence behind the queue's numbers. */
export const copyStore = async (source: Pool, target: Pool, schema: string): Promise<void> => {
  const [reading, writing] = [await source.connect(), await target.connect()];
  try {
    for (const table of tables) {
      const rows = reading.query(to(`COPY ${schema}.${table} TO STDOUT`));
      await pipeline(rows, writing.query(from(`COPY ${schema}.${table} FROM STDIN`)));
    }
    const numbers = `pg_get_serial_sequence('${schema}.unsequenced', 'n')`;
    const { rows } = await reading.query<{ last: number }>(
      `SELECT last_value AS last FROM ${schema}.unsequenced_n_seq`,
    );
    await writing.query(`SELECT setval(${numbers}, $1)`, [rows[0]?.last]);
  } finally {
    reading.release();
    writing.release();
  }
};
