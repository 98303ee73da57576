import type { Event, Sequenced } from '@causeway/event-sourcing';
import { snakeCase, type Columns, type ColumnType, type TableName } from '@causeway/read-models';
import { definitionsOf, fewRowsMax, writeInto } from './insert.ts';
import type { Projection } from './projection.ts';
import { unsampled } from './unsampled.ts';
import { rowsByKeys } from './rows-by-keys.ts';
import { superseding, versionsTable, type Superseded, type Versions } from './versions.ts';

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
  /** Where rows are kept as they were. Nowhere when left out. */
  versions?: Versions<Row, E>;
}>;

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

type FoldedRows<Row extends object> = Readonly<{
  /** Undefined: none any more. */
  changed: ReadonlyMap<string, Row | undefined>;
  superseded: Superseded<Row>;
}>;

/** The rows that are others after the batch, and what they were. */
const folded = <Row extends object, E extends Event>(
  { name, keysOf, closes, apply, versions }: RowProjection<Row, E>,
  loaded: ReadonlyMap<string, Row>,
  batch: Events<E>,
): FoldedRows<Row> => {
  const changed = new Map<string, Row | undefined>();
  const { step, superseded } = superseding(versions);
  for (const event of batch) {
    for (const key of keysOf(event)) {
      const before = changed.has(key) ? changed.get(key) : loaded.get(key);
      const after = apply(before, event, key);
      const isLost = after === undefined && before !== undefined && closes?.(event) !== true;
      if (isLost) throw new Error(`${name}: ${event.type} does not close a row, and left none`);
      if (after === before) continue;
      changed.set(key, after);
      if (after !== undefined) step(key, { before, after, event });
    }
  }
  return { changed, superseded };
};

/**
 * A projection of one table from a pure fold. Rows that events may change are loaded by one statement; those that did
 * change are written by one, or, where they are many, deleted and copied anew.
 */
export const rowProjection = <Row extends object, E extends Event>(options: RowProjection<Row, E>): Projection => {
  const { name, version, table: logical, columns, key, tableExtras = [], indexes = [], views, written = [] } = options;
  const definitions = [...definitionsOf(columns), `PRIMARY KEY (${snakeCase(key)})`, ...tableExtras];
  const types: Readonly<Record<string, ColumnType>> = columns;
  const write = writeInto(columns, key);
  const past = options.versions && versionsTable({ columns, key, written, versions: options.versions });

  return {
    name,
    version,
    tables: [logical, ...(past ? [past.table] : [])],
    ddl: (table) => [
      `CREATE TABLE ${table(logical)} (${definitions.join(', ')})`,
      ...unsampled(table(logical), written.map(snakeCase)),
      ...(past?.ddl(table) ?? []),
    ],
    indexes: (table) => [
      ...indexes.map((definition) => `CREATE INDEX ON ${table(logical)} ${definition}`),
      ...(past?.indexes(table) ?? []),
    ],
    views,
    async project(tx, tables, batch) {
      const table = tables(logical);
      const events = batch as Events<E>;
      const found = await rowsByKeys<Row>(tx, { table, columns, key }, keysToLoad(options, events));
      const loaded = new Map(found.map((row) => [String(row[key]), row]));
      const { changed, superseded } = folded(options, loaded, events);
      const rows = [...changed.values()].filter((row) => row !== undefined);
      const isFew = rows.length <= fewRowsMax;
      const deleted = [...changed].filter(([id, row]) => loaded.has(id) && (row === undefined || !isFew));
      const deletion = `DELETE FROM ${table} WHERE ${snakeCase(key)} = ANY ($1::${types[key]}[])`;
      if (deleted.length > 0) await tx.query(deletion, [deleted.map(([id]) => id)]);
      await write(tx, table, rows);
      await past?.save(tx, tables, superseded);
    },
  };
};
