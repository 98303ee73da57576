import type { Pool, PoolClient } from '@causeway/postgres';
import { snakeCase, type Columns, type ColumnType } from '@causeway/read-models';

/** Times with their microseconds; the driver's own reading would cut them to milliseconds. */
const selected = (name: string, type: ColumnType): string =>
  type === 'timestamptz'
    ? `to_char(${snakeCase(name)} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "${name}"`
    : `${snakeCase(name)} AS "${name}"`;

type Of<Row extends object> = Readonly<{ table: string; columns: Columns<Row>; key: keyof Row & string }>;

/** Rows of a table as they are folded, in no order. */
export const rowsByKeys = async <Row extends object>(
  database: Pool | PoolClient,
  { table, columns, key }: Of<Row>,
  keys: readonly string[],
): Promise<readonly Row[]> => {
  if (keys.length === 0) return [];
  const types: Readonly<Record<string, ColumnType>> = columns;
  const selectList = Object.entries(types).map(([column, type]) => selected(column, type));
  const text = `SELECT ${selectList.join(', ')} FROM ${table} WHERE ${snakeCase(key)} = ANY ($1::${types[key]}[])`;
  const { rows } = await database.query<Row>({ name: `load ${table}`, text, values: [keys] });
  return rows;
};
