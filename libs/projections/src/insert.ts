import type { PoolClient } from '@causeway/postgres';
import { snakeCase, type ColumnType } from '@causeway/read-models';
import { copyInto, storableJson } from './copy.ts';

type Types = Readonly<Record<string, ColumnType>>;
type Write = (tx: PoolClient, table: string, rows: readonly object[]) => Promise<void>;

/**
 * Up to so many rows go by one statement in one round trip, which leaves alone the indexes of what did not change; a
 * DELETE and a COPY take four, and less time for each row. At the end of the store, someone waits to see them.
 */
export const fewRowsMax = 100;

export const definitionsOf = (types: Types): readonly string[] =>
  Object.entries(types).map(([column, type]) => `${snakeCase(column)} ${type}`);

const insertInto = (types: Types, onConflict: string): Write => {
  const columns = Object.keys(types).map(snakeCase).join(', ');
  const members = Object.keys(types).map((name) => `"${name}"`);
  const shape = Object.entries(types).map(([name, type]) => `"${name}" ${type}`);
  return async (tx, table, rows) => {
    if (rows.length === 0) return;
    const text = `INSERT INTO ${table} (${columns})
      SELECT ${members.join(', ')} FROM json_to_recordset($1) AS r (${shape.join(', ')}) ${onConflict}`;
    await tx.query({ name: `insert ${table}`, text, values: [storableJson(rows)] });
  };
};

/** Writes rows that are not there; with a `key`, few may be: they then are as they are given. */
export const writeInto = (types: Types, key?: string): Write => {
  const columns = Object.keys(types).map(snakeCase);
  const newest = columns.map((column) => `excluded.${column}`);
  const upsert = `ON CONFLICT (${key && snakeCase(key)}) DO UPDATE SET (${columns.join(', ')}) = ROW (${newest.join(', ')})`;
  const [insert, copy] = [insertInto(types, key === undefined ? '' : upsert), copyInto(types)];
  return (tx, table, rows) => (rows.length <= fewRowsMax ? insert : copy)(tx, table, rows);
};
