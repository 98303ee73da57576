import type { Event, Sequenced } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import { snakeCase, type Columns, type ColumnType, type TableName } from '@causeway/read-models';
import { copyInto } from './copy.ts';
import type { Projection } from './projection.ts';

export type RowProjection<Row extends object, E extends Event> = Readonly<{
  name: string;
  version: number;
  /** Logical name of the one table. */
  table: string;
  columns: Columns<Row>;
  key: keyof Row & string;
  /** The rows an event is about. None: the event is not for this projection. */
  keysOf(event: Sequenced<E>): readonly string[];
  /** True for an event that is the first of its rows: they are then not looked for. False when left out. */
  opens?(event: Sequenced<E>): boolean;
  /**
   * Pure. The row as it stands, or undefined while there is none, to the row after the event; undefined: no row any more.
   * The same object: nothing has changed. Times come in as ISO 8601 with microseconds, amounts as text.
   */
  apply(row: Row | undefined, event: Sequenced<E>, key: string): Row | undefined;
  /** SQL of what the table has beside its columns and its key: generated columns, constraints. */
  tableExtras?: readonly string[];
  /** What stands after `CREATE INDEX ON <table>`. */
  indexes?: readonly string[];
  views(table: TableName, head: string): readonly string[];
}>;

/** Times with their microseconds; the driver's own reading would cut them to milliseconds. */
const selected = (name: string, type: ColumnType): string =>
  type === 'timestamptz'
    ? `to_char(${snakeCase(name)} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "${name}"`
    : `${snakeCase(name)} AS "${name}"`;

/**
 * A projection of one table from a pure fold. Rows that events may change are loaded by one statement; those that did
 * change are deleted by one and written again together with the new ones by one COPY.
 */
export const rowProjection = <Row extends object, E extends Event>(options: RowProjection<Row, E>): Projection => {
  const { name, version, table: logical, columns, key, keysOf, opens, apply, tableExtras = [], indexes = [] } = options;
  const types: Readonly<Record<string, ColumnType>> = columns;
  const keyColumn = snakeCase(key);
  const selectList = Object.entries(types).map(([column, type]) => selected(column, type));
  const definitions = [
    ...Object.entries(types).map(([column, type]) => `${snakeCase(column)} ${type}`),
    `PRIMARY KEY (${keyColumn})`,
    ...tableExtras,
  ];
  const copy = copyInto(types);

  /** Loads what the batch may change: rows that an event of it opens cannot be there yet. */
  const load = async (tx: PoolClient, table: string, batch: readonly Sequenced<E>[]): Promise<Map<string, Row>> => {
    const opened = new Set<string>();
    const wanted = new Set<string>();
    for (const event of batch) {
      const fresh = opens?.(event) ?? false;
      for (const id of keysOf(event)) {
        if (fresh) opened.add(id);
        else if (!opened.has(id)) wanted.add(id);
      }
    }
    if (wanted.size === 0) return new Map();
    const { rows } = await tx.query<Row>(
      `SELECT ${selectList.join(', ')} FROM ${table} WHERE ${keyColumn} = ANY ($1::${types[key]}[])`,
      [[...wanted]],
    );
    return new Map(rows.map((row) => [String(row[key]), row]));
  };

  const fold = (loaded: ReadonlyMap<string, Row>, batch: readonly Sequenced<E>[]): Map<string, Row | undefined> => {
    const changed = new Map<string, Row | undefined>();
    for (const event of batch) {
      for (const id of keysOf(event)) {
        const before = changed.has(id) ? changed.get(id) : loaded.get(id);
        const after = apply(before, event, id);
        if (after !== before) changed.set(id, after);
      }
    }
    return changed;
  };

  return {
    name,
    version,
    tables: [logical],
    ddl: (table) => [`CREATE TABLE ${table(logical)} (${definitions.join(', ')})`],
    indexes: (table) => indexes.map((definition) => `CREATE INDEX ON ${table(logical)} ${definition}`),
    views: (table, head) => options.views(table, head),
    async project(tx, tables, batch) {
      const table = tables(logical);
      const events = batch as readonly Sequenced<E>[];
      const loaded = await load(tx, table, events);
      const changed = fold(loaded, events);
      const replaced = [...changed.keys()].filter((id) => loaded.has(id));
      if (replaced.length > 0) {
        await tx.query(`DELETE FROM ${table} WHERE ${keyColumn} = ANY ($1::${types[key]}[])`, [replaced]);
      }
      await copy(
        tx,
        table,
        [...changed.values()].filter((row) => row !== undefined),
      );
    },
  };
};
