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

const keyTexts = ({ order }: PageQuery): readonly string[] => order.map((sortKey) => keyText(sortKey, sortKey.column));

type Rows = Readonly<{ text: string; values: readonly unknown[]; after: readonly string[] }>;

/** One row more than the page holds tells whether there is another. `after`: where the key stands in the statement. */
const pageRows = (page: PageQuery, selectList: string): Rows => {
  const { view, conditions, also = [], order, after, limit } = page;
  const values: unknown[] = [];
  const filter = where(conditions, values, also);
  const places = (after ?? []).map((value, n) => `$${values.push(value)}::${order[n]?.type ?? 'text'}`);
  const start = after === undefined ? '' : ` AND ${afterKey(order, places)}`;
  const text = `SELECT ${selectList} FROM ${view} ${filter}${start} ${orderBy(order)} LIMIT ${limit + 1}`;
  return { text, values, after: places };
};

/** A page as rows of ours, each with its sort key in `key`. */
export const rowPage = (page: PageQuery, selectList: string): Query => {
  const { text, values } = pageRows(page, `${selectList}, ARRAY[${keyTexts(page).join(', ')}] AS key`);
  return { text, values };
};

/** A row as the text of its JSON, made by Postgres; the members after it are its sort key, in order. */
export type JsonRow = Readonly<{ json: string } & Record<`k${number}`, string>>;

/**
 * A page as one JSON text a row: Postgres sends the first ones while it makes the rest. `json`: an expression over
 * `row`, a row of the view with the texts of its key in `k0`, `k1`, …
 */
export const jsonPage = (page: PageQuery, json: (after: readonly string[]) => string): Query => {
  const key = keyTexts(page).map((text, n) => `${text} AS k${n}`);
  const { text, values, after } = pageRows(page, `*, ${key.join(', ')}`);
  const shown = page.order.map((_, n) => `row.k${n}`);
  return { text: `SELECT ${json(after)} AS json, ${shown.join(', ')} FROM (${text}) AS row`, values };
};
