import { rowSelectList, type Columns } from './columns.ts';
import type { Order } from './keyset.ts';
import { rowPage } from './page.ts';
import { where, type Condition, type Query } from './query.ts';

/** A read model whose rows the gateway renders itself. */
export type Model<Row extends object> = Readonly<{ view: string; columns: Columns<Row>; idColumn: string }>;

export type Paging = Readonly<{ limit: number; after: readonly string[] | undefined }>;

/** Rows by `createdAt` descending, then by id descending; each carries its sort key in `key`. */
export const newestFirst = <Row extends object>(
  { view, columns, idColumn }: Model<Row>,
  conditions: readonly Condition[],
  paging: Paging,
): Query => {
  const order: Order = [
    { column: 'created_at', type: 'timestamptz', descending: true },
    { column: idColumn, type: 'uuid', descending: true },
  ];
  return rowPage({ view, conditions, order, ...paging }, rowSelectList(columns));
};

/** At most one row: the conditions name an id. */
export const single = <Row extends object>({ view, columns }: Model<Row>, conditions: readonly Condition[]): Query => {
  const values: unknown[] = [];
  const filter = where(conditions, values);
  return { text: `SELECT ${rowSelectList(columns)} FROM ${view} ${filter}`, values };
};
