import type { Position } from '@causeway/event-sourcing';
import type { Pool, PoolClient } from '@causeway/postgres';
import { tableOf, type Compared, type Generation, type Projection } from './projection.ts';

/** Kept with a generation, so that it can be compared by who knows nothing of its projection. */
export type KeptComparison = Readonly<{
  compared: Compared;
  /** SQL of a row `r` of a table: forgotten sooner or later, and so not compared. */
  forgotten: Readonly<Record<string, string>>;
}>;

export const keptComparison = (schema: string, projection: Projection, generation: Generation): KeptComparison => ({
  compared: projection.compared ?? {},
  forgotten: projection.forgets?.(tableOf(schema, generation)) ?? {},
});

/** One of the two generations. `recordedAt`: of the newest event up to `position`. */
export type Side = Generation & KeptComparison & Readonly<{ position: Position; recordedAt: string; tables: string[] }>;

export const sideOf = async (
  database: Pool | PoolClient,
  schema: string,
  { name, generation }: Pick<Generation, 'name' | 'generation'>,
): Promise<Side> => {
  const { rows } = await database.query<Omit<Side, keyof KeptComparison> & Readonly<{ kept: KeptComparison }>>(
    `SELECT name, version, generation, position, tables, comparison AS kept,
            to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "recordedAt"
       FROM ${schema}.projection WHERE name = $1 AND generation = $2`,
    [name, generation],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`${name} has no generation ${generation}`);
  const { kept, ...side } = row;
  return { ...side, ...kept };
};

export type Column = Readonly<{ name: string; type: string; inKey: boolean }>;

/** A table that both sides have, by the columns that both have. `key`: in the order of the primary key. */
export type Shape = Readonly<{ live: string; next: string; key: readonly Column[]; columns: readonly Column[] }>;

const columnsOf = async (tx: PoolClient, table: string): Promise<readonly Column[]> => {
  const { rows } = await tx.query<Column>(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, k.place IS NOT NULL AS "inKey"
       FROM pg_attribute a
       LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
       LEFT JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY k (attnum, place) ON k.attnum = a.attnum
      WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      ORDER BY k.place, a.attnum`,
    [table],
  );
  return rows;
};

export const shapeOf = async (tx: PoolClient, live: string, next: string): Promise<Shape> => {
  const others = new Map((await columnsOf(tx, next)).map((column) => [column.name, column.type]));
  const columns = (await columnsOf(tx, live)).filter(({ name }) => others.has(name));
  return { live, next, columns, key: columns.filter(({ inKey }) => inKey) };
};
