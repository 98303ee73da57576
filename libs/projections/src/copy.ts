import { snakeCase, type ColumnType } from '@causeway/read-models';
import type { PoolClient } from '@causeway/postgres';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import copyStreams from 'pg-copy-streams';

type Value = unknown;
type ColumnTypes = Readonly<Record<string, ColumnType>>;

const special = /[\\\t\n\r\0]/;
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  // The one character that PostgreSQL cannot hold. A bank's narrative with one in it must not stop the feed.
  '\0': '\uFFFD',
};

/**
 * What JSON can write and jsonb refuses: NUL, and half of a surrogate pair; whole pairs are never written as escapes. An
 * even number of backslashes before it are characters of their own.
 */
const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

const escaped = (text: string): string =>
  special.test(text) ? text.replace(/[\\\t\n\r\0]/g, (character) => escapes[character] as string) : text;

const arrayLiteral = (items: readonly string[]): string =>
  `{${items.map((item) => `"${item.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;

const textOf = (type: ColumnType): ((value: never) => string) => {
  switch (type) {
    case 'boolean':
      return (value: boolean) => (value ? 't' : 'f');
    case 'jsonb':
      return (value: Value) => escaped(storableJson(value));
    case 'text[]':
      return (value: readonly string[]) => escaped(arrayLiteral(value));
    default:
      return escaped;
  }
};

/** Encodes rows for COPY in text format: for rows of short texts it is as small as the binary one, and quicker to make. */
export const copyEncoder = (columns: ColumnTypes): ((rows: readonly object[]) => string) => {
  const fields = Object.entries(columns).map(([name, type]) => ({
    name,
    text: textOf(type) as (value: Value) => string,
  }));
  return (rows) => {
    let out = '';
    for (const row of rows as readonly Record<string, Value>[]) {
      let separator = '';
      for (const { name, text } of fields) {
        const value = row[name];
        out += separator + (value === null || value === undefined ? '\\N' : text(value));
        separator = '\t';
      }
      out += '\n';
    }
    return out;
  };
};

/** A JSON text that PostgreSQL takes, and that any reader of JSON does. Most texts have no such escapes at all. */
export const storable = (json: string): string => (json.includes('\\u') ? json.replace(unstorable, '$1\\ufffd') : json);

export const storableJson = (value: unknown): string => storable(JSON.stringify(value));

/** Writes rows into a table by COPY. */
export const copyInto = (
  columns: ColumnTypes,
): ((tx: PoolClient, table: string, rows: readonly object[]) => Promise<void>) => {
  const encode = copyEncoder(columns);
  const list = Object.keys(columns).map(snakeCase).join(', ');
  return async (tx, table, rows) => {
    if (rows.length === 0) return;
    const data = Buffer.from(encode(rows));
    await pipeline(Readable.from([data]), tx.query(copyStreams.from(`COPY ${table} (${list}) FROM STDIN`)));
  };
};
