import type { Event, Sequenced } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import { snakeCase, type Columns, type ColumnType, type TableName } from '@causeway/read-models';
import { copyInto, storableJson } from './copy.ts';
import type { Projection } from './projection.ts';
import { unsampled } from './unsampled.ts';

export type RowProjection<Row extends object, E extends Event> = Readonly<{
  name: string;
  version: number;
  /** Logical name of the one table. */
  table: string;
  columns: Columns<Row>;
  key: keyof Row & string;
  /** Columns of what a bank wrote, which nothing is found by: no statistics are kept of them. */
  written?: readonly (keyof Row & string)[];
  /** The rows an event is about. None: the event is not for this projection. */
  keysOf: (event: Sequenced<E>) => readonly string[];
  /** True for an event that is the first of its rows: they are then not looked for. False when left out. */
  opens?: (event: Sequenced<E>) => boolean;
  /** True for an event after which its rows are no more. Never when left out. */
  closes?: (event: Sequenced<E>) => boolean;
  /**
   * Pure. The row as it stands, or undefined while there is none, to the row after the event. A row that is
   * lost by an event that does not close it is a fault: its stream is parked, and the row stays.
   * The same object: nothing has changed. Times come in as ISO 8601 with microseconds, amounts as text.
   */
  apply: (row: Row | undefined, event: Sequenced<E>, key: string) => Row | undefined;
  /** SQL of what the table has beside its columns and its key: generated columns, constraints. */
  tableExtras?: readonly string[];
  /** What stands after `CREATE INDEX ON <table>`. */
  indexes?: readonly string[];
  views: (table: TableName) => readonly string[];
}>;

/** Times with their microseconds; the driver's own reading would cut them to milliseconds. */
const selected = (name: string, type: ColumnType): string =>
  type === 'timestamptz'
    ? `to_char(${snakeCase(name)} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "${name}"`
    : `${snakeCase(name)} AS "${name}"`;

type Events<E extends Event> = readonly Sequenced<E>[];

/** The rows that a batch may change. Those that an event of the batch opens cannot be there yet. */
const keysToLoad = <Row extends object, E extends Event>(
  { keysOf, opens }: RowProjection<Row, E>,
  batch: Events<E>,
): readonly string[] => {
  const opened = new Set<string>();
  const wanted = new Set<string>();
  for (const event of batch) {
    const fresh = opens?.(event) ?? false;
    for (const key of keysOf(event)) {
      if (fresh) opened.add(key);
      else if (!opened.has(key)) wanted.add(key);
    }
  }
  return [...wanted];
};

/** The rows that are others after the batch; undefined: none any more. */
const folded = <Row extends object, E extends Event>(
  { name, keysOf, closes, apply }: RowProjection<Row, E>,
  loaded: ReadonlyMap<string, Row>,
  batch: Events<E>,
): Map<string, Row | undefined> => {
  const changed = new Map<string, Row | undefined>();
  for (const event of batch) {
    for (const key of keysOf(event)) {
      const before = changed.has(key) ? changed.get(key) : loaded.get(key);
      const after = apply(before, event, key);
      const isLost = after === undefined && before !== undefined && closes?.(event) !== true;
      if (isLost) throw new Error(`${name}: ${event.type} does not close a row, and left none`);
      if (after !== before) changed.set(key, after);
    }
  }
  return changed;
};

type Table = Readonly<{ types: Readonly<Record<string, ColumnType>>; key: string }>;

/**
 * Up to so many rows go by one statement in one round trip, which leaves alone the indexes of what did not change; a
 * DELETE and a COPY take four, and less time for each row. At the end of the store, someone waits to see them.
 */
const upsertRowsMax = 100;

const upsertInto = ({ types, key }: Table) => {
  const columns = Object.keys(types).map(snakeCase).join(', ');
  const members = Object.keys(types).map((name) => `"${name}"`);
  const shape = Object.entries(types).map(([name, type]) => `"${name}" ${type}`);
  const newest = Object.keys(types).map((name) => `excluded.${snakeCase(name)}`);
  return async (tx: PoolClient, table: string, rows: readonly object[]): Promise<void> => {
    if (rows.length === 0) return;
    const text = `INSERT INTO ${table} (${columns})
      SELECT ${members.join(', ')} FROM json_to_recordset($1) AS r (${shape.join(', ')})
      ON CONFLICT (${snakeCase(key)}) DO UPDATE SET (${columns}) = ROW (${newest.join(', ')})`;
    await tx.query({ name: `upsert ${table}`, text, values: [storableJson(rows)] });
  };
};

/**
 * A projection of one table from a pure fold. Rows that events may change are loaded by one statement; those that did
 * change are written by one, or, where they are many, deleted and copied anew.
 */
export const rowProjection = <Row extends object, E extends Event>(options: RowProjection<Row, E>): Projection => {
  const { name, version, table: logical, columns, key, tableExtras = [], indexes = [], views } = options;
  const types: Readonly<Record<string, ColumnType>> = columns;
  const selectList = Object.entries(types).map(([column, type]) => selected(column, type));
  const definitions = Object.entries(types).map(([column, type]) => `${snakeCase(column)} ${type}`);
  const isOneOf = `WHERE ${snakeCase(key)} = ANY ($1::${types[key]}[])`;
  const copy = copyInto(types);
  const upsert = upsertInto({ types, key });

  const load = async (tx: PoolClient, table: string, keys: readonly string[]): Promise<Map<string, Row>> => {
    if (keys.length === 0) return new Map();
    const text = `SELECT ${selectList.join(', ')} FROM ${table} ${isOneOf}`;
    const { rows } = await tx.query<Row>({ name: `load ${table}`, text, values: [keys] });
    return new Map(rows.map((row) => [String(row[key]), row]));
  };

  return {
    name,
    version,
    tables: [logical],
    ddl: (table) => [
      `CREATE TABLE ${table(logical)} (${[...definitions, `PRIMARY KEY (${snakeCase(key)})`, ...tableExtras].join(', ')})`,
      ...unsampled(table(logical), (options.written ?? []).map(snakeCase)),
    ],
    indexes: (table) => indexes.map((definition) => `CREATE INDEX ON ${table(logical)} ${definition}`),
    views,
    async project(tx, tables, batch) {
      const table = tables(logical);
      const events = batch as Events<E>;
      const loaded = await load(tx, table, keysToLoad(options, events));
      const changed = folded(options, loaded, events);
      const written = [...changed.values()].filter((row) => row !== undefined);
      const isFew = written.length <= upsertRowsMax;
      const deleted = [...changed].filter(([id, row]) => loaded.has(id) && (row === undefined || !isFew));
      if (deleted.length > 0) await tx.query(`DELETE FROM ${table} ${isOneOf}`, [deleted.map(([id]) => id)]);
      await (isFew ? upsert : copy)(tx, table, written);
    },
  };
};
