import type { Event, Sequenced } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import { snakeCase, type Columns, type ColumnType, type TableName } from '@causeway/read-models';
import { definitionsOf, writeInto } from './insert.ts';
import { unsampled } from './unsampled.ts';

/** Where the rows that events superseded are kept as they were. A row that never changed has none. */
export type Versions<Row extends object, E extends Event> = Readonly<{
  /** Logical name of a table that has the columns of the rows, and `superseded_at`. */
  table: string;
  /** The column that says since when a row is as it is, by which its versions are told apart. */
  since: keyof Row & string;
  /**
   * What an event puts in place of all versions of the row that it leaves, oldest first. Undefined: they stay, and the
   * row that was there before is the newest of them.
   */
  replacedBy: (event: Sequenced<E>, after: Row) => readonly Row[] | undefined;
  /** What stands after `CREATE INDEX ON <table>`. */
  indexes: readonly string[];
}>;

type Version<Row> = Row & Readonly<{ supersededAt: string }>;

type Step<Row extends object, E extends Event> = Readonly<{ before: Row | undefined; after: Row; event: Sequenced<E> }>;

/** What a batch does to versions. */
export type Superseded<Row extends object> = Readonly<{
  /** Keys of rows of which all versions go that there were before the batch. */
  replaced: ReadonlySet<string>;
  added: ReadonlyMap<string, readonly Version<Row>[]>;
}>;

/** Collects what the events of a batch supersede. */
export const superseding = <Row extends object, E extends Event>(versions: Versions<Row, E> | undefined) => {
  const replaced = new Set<string>();
  const added = new Map<string, Version<Row>[]>();
  const step = (key: string, { before, after, event }: Step<Row, E>): void => {
    if (versions === undefined) return;
    const since = (row: Row): string => row[versions.since] as string;
    const rows = versions.replacedBy(event, after);
    if (rows !== undefined) {
      replaced.add(key);
      const ends = [...rows.slice(1), after].map(since);
      added.set(
        key,
        rows.map((row, i) => ({ ...row, supersededAt: ends[i] as string })),
      );
      return;
    }
    // What is superseded at the moment from which it would count was never shown.
    if (before === undefined || since(before) === since(after)) return;
    added.set(key, [...(added.get(key) ?? []), { ...before, supersededAt: since(after) }]);
  };
  return { step, superseded: { replaced, added } satisfies Superseded<Row> };
};

type Of<Row extends object, E extends Event> = Readonly<{
  columns: Columns<Row>;
  key: keyof Row & string;
  written: readonly string[];
  versions: Versions<Row, E>;
}>;

/** The table of versions. */
export const versionsTable = <Row extends object, E extends Event>({ columns, key, written, versions }: Of<Row, E>) => {
  const types: Readonly<Record<string, ColumnType>> = { ...columns, supersededAt: 'timestamptz' };
  const write = writeInto(types);
  const { table: logical, since, indexes } = versions;
  const primaryKey = `PRIMARY KEY (${snakeCase(key)}, ${snakeCase(since)})`;
  return {
    table: logical,
    ddl: (table: TableName): readonly string[] => [
      `CREATE TABLE ${table(logical)} (${[...definitionsOf(types), primaryKey].join(', ')})`,
      ...unsampled(table(logical), written.map(snakeCase)),
    ],
    indexes: (table: TableName): readonly string[] =>
      indexes.map((definition) => `CREATE INDEX ON ${table(logical)} ${definition}`),
    save: async (tx: PoolClient, table: TableName, { replaced, added }: Superseded<Row>): Promise<void> => {
      const keys = [...replaced];
      const text = `DELETE FROM ${table(logical)} WHERE ${snakeCase(key)} = ANY ($1::${types[key]}[])`;
      if (keys.length > 0) await tx.query(text, [keys]);
      await write(tx, table(logical), [...added.values()].flat());
    },
  };
};
