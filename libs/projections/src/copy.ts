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

const escaped = (text: string): string =>
  special.test(text) ? text.replace(/[\\\t\n\r\0]/g, (character) => escapes[character] as string) : text;

const arrayLiteral = (items: readonly string[]): string =>
  `{${items.map((item) => `"${item.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;

const textOf = (type: ColumnType): ((value: never) => string) => {
  switch (type) {
    case 'boolean':
      return (value: boolean) => (value ? 't' : 'f');
    case 'jsonb':
      // A NUL is written as an escape within JSON, which jsonb refuses.
      return (value: Value) => escaped(JSON.stringify(value).replaceAll('\\u0000', '\\ufffd'));
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
