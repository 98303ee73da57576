import type { Condition, Query } from './query.ts';
import { where } from './query.ts';
import { afterKey, keyText, orderBy, type Order } from './keyset.ts';

export type PageQuery = Readonly<{
  view: string;
  conditions: readonly Condition[];
  /** Predicates without a value, which name a partial index. */
  also?: readonly string[];
  order: Order;
  /** The key of the last row of the page before; undefined: the first page. */
  after: readonly string[] | undefined;
  /** Not a parameter of the statement: Postgres plans for the number. */
  limit: number;
}>;

/** One row more than the page holds tells whether there is another. */
const pageRows = (page: PageQuery, values: unknown[], select: string): string => {
  const { view, conditions, also = [], order, after, limit } = page;
  const filter = where(conditions, values, also);
  const places = (after ?? []).map((value, n) => `$${values.push(value)}::${order[n]?.type ?? 'text'}`);
  const start = after === undefined ? '' : ` AND ${afterKey(order, places)}`;
  return `SELECT ${select} FROM ${view} ${filter}${start} ${orderBy(order)} LIMIT ${limit + 1}`;
};

/** A page as rows of ours, each with its sort key in `key`. */
export const rowPage = (page: PageQuery, selectList: string): Query => {
  const values: unknown[] = [];
  const key = page.order.map((sortKey) => keyText(sortKey, sortKey.column)).join(', ');
  return { text: pageRows(page, values, `${selectList}, ARRAY[${key}] AS key`), values };
};

/** What `jsonPage` answers: one row. */
export type JsonPage = Readonly<{
  /** The rows as JSON, separated by commas; null when there are none. */
  data: string | null;
  hasMore: boolean;
  /** The sort key of the last row in `data`. */
  key: readonly string[];
}>;

/** A page as the text of its JSON, made by Postgres. `json`: an expression over `row`, a row of the view. */
export const jsonPage = (page: PageQuery, json: (values: unknown[]) => string): Query => {
  const values: unknown[] = [];
  const rows = pageRows(page, values, '*');
  const { order, limit } = page;
  const shown = `FILTER (WHERE n <= ${limit})`;
  const keys = order.map(({ column }, k) => `array_agg(${column}) ${shown} AS k${k}`).join(', ');
  const last = order.map((sortKey, k) => keyText(sortKey, `k${k}[cardinality(k${k})]`)).join(', ');
  const columns = order.map(({ column }) => `row.${column}`).join(', ');
  return {
    text: `SELECT data, "hasMore", ARRAY[${last}] AS key FROM (
      SELECT string_agg(json, ',') ${shown} AS data, count(*) > ${limit} AS "hasMore", ${keys} FROM (
        SELECT ${json(values)} AS json, row_number() OVER () AS n, ${columns} FROM (${rows}) AS row) AS numbered) AS page`,
    values,
  };
};
