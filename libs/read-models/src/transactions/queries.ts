import type { Order } from '../keyset.ts';
import { storedPage, type JsonRow, type PageRead } from '../page.ts';
import {
  atLeast,
  atMost,
  below,
  equals,
  holds,
  isAsked,
  ownedBy,
  where,
  type Condition,
  type Owner,
  type Query,
} from '../query.ts';
import { shapedAs } from '../stored-json.ts';
import { causeColumns, changeText, shownAt, type Caused } from '../versions.ts';
import { changeId, updatedAtOf } from './change.ts';
import { transactionFields } from './fields.ts';

const byDate = { column: 'sort_date', type: 'date', member: 'postedDate', whenNull: 'infinity' } as const;
const byChange = { column: 'updated_at', type: 'timestamptz', member: 'updatedAt' } as const;
const byId = { column: 'id', type: 'uuid', member: 'id' } as const;
const descending = true;

const orders = {
  postedDate: [byDate, byId],
  '-postedDate': [
    { ...byDate, descending },
    { ...byId, descending },
  ],
  updatedAt: [byChange, byId],
  '-updatedAt': [
    { ...byChange, descending },
    { ...byId, descending },
  ],
} as const satisfies Readonly<Record<string, Order>>;

export type TransactionSort = keyof typeof orders;
export const transactionSorts = Object.keys(orders) as readonly TransactionSort[];

export type TransactionFilters = Readonly<{
  accountId?: string | undefined;
  connectionId?: string | undefined;
  entityId?: string | undefined;
  status?: string | undefined;
  rail?: string | undefined;
  postedDateGte?: string | undefined;
  postedDateLt?: string | undefined;
  /** Rows as they were shown at this instant. */
  asOf?: string | undefined;
}>;

type Paging = Readonly<{
  sort: TransactionSort;
  fields: readonly string[] | undefined;
  limit: number;
  after: readonly string[] | undefined;
}>;

const view = 'read_models.transactions_v1';
const versionsView = 'read_models.transaction_versions_v1';
const notRemoved = holds('NOT removed');

/**
 * A row without a posted date lies in no range of dates, wherever it sorts. `continued`: the order of a page that starts
 * at a key. The key lies within the bound on its side; with both, the index would start at the bound and step over every
 * earlier page.
 */
const datesOf = ({ postedDateGte, postedDateLt }: TransactionFilters, continued: TransactionSort | undefined) => {
  const end = postedDateLt ?? (postedDateGte === undefined ? undefined : 'infinity');
  return [
    atLeast('sort_date', 'date', continued === 'postedDate' ? undefined : postedDateGte),
    below('sort_date', 'date', continued === '-postedDate' ? undefined : end),
  ];
};

type Walk = Readonly<{ scopes: readonly Condition[]; conditions: readonly Condition[]; along: readonly Condition[] }>;

/**
 * What the index of the order serves: each scope, but for an entity in the order of changes; dates where the order is
 * theirs; and every status but that of nearly all rows.
 */
const walkOf = (filters: TransactionFilters, { sort, after }: Paging): Walk => {
  const { accountId, connectionId, status } = filters;
  const account = equals('account_id', 'uuid', accountId);
  const connection = equals('connection_id', 'uuid', connectionId);
  const entity = equals('entity_id', 'uuid', filters.entityId);
  const dates = datesOf(filters, after === undefined ? undefined : sort);
  const isRare = status !== undefined && status !== 'posted';
  // A removed row has no status.
  const listed = isRare ? [holds(`status <> 'posted'`), equals('status', 'text', status)] : [notRemoved];
  const unlisted = [...(isRare ? [] : [equals('status', 'text', status)]), equals('rail', 'text', filters.rail)];
  if (sort === 'postedDate' || sort === '-postedDate') {
    return { scopes: [account, connection, entity], conditions: [...listed, ...dates], along: unlisted };
  }
  const isNarrow = isAsked(account) || isAsked(connection);
  const along = [...unlisted, ...dates, ...(isNarrow ? [] : [entity])];
  const scopes = [account, connection, ...(isNarrow ? [entity] : [])];
  // Removed rows are in the order of changes, since the feed tells of them.
  return isRare ? { scopes, conditions: listed, along } : { scopes, conditions: [], along: [...listed, ...along] };
};

/**
 * Of versions, a status, too, is looked at along the walk. No index leaves out what came after an instant but that of
 * changes, where a page that starts at a key going back is past it.
 */
const walkAsOf = (filters: TransactionFilters, paging: Paging): Walk => {
  const { status, asOf, ...others } = filters;
  const { scopes, conditions, along } = walkOf(others, paging);
  const isBack = paging.sort === '-updatedAt' && paging.after !== undefined;
  const isByChange = paging.sort === 'updatedAt' || paging.sort === '-updatedAt';
  const until = isByChange && !isBack ? [atMost('updated_at', 'timestamptz', asOf)] : [];
  return {
    scopes,
    conditions: [...conditions, ...until],
    along: [...along, equals('status', 'text', status), ...shownAt(asOf)],
  };
};

export const transactionsPage = (owner: Owner, filters: TransactionFilters, paging: Paging): PageRead => {
  const { sort, fields, limit, after } = paging;
  const shaped = shapedAs(transactionFields, 'list', fields);
  const walk =
    filters.asOf === undefined
      ? { view, ...walkOf(filters, paging) }
      : { view: versionsView, ...walkAsOf(filters, paging) };
  const page = { ...walk, owned: ownedBy(owner), order: orders[sort], after, limit };
  return storedPage(page, { write: ({ json }) => shaped(json) });
};

/** The text is that of lists: `singleTransaction` makes the single read's of it. */
export const transactionById = (owner: Owner, id: string, asOf?: string): Query => {
  const values: unknown[] = [];
  const filter = where([equals('id', 'uuid', id), ...ownedBy(owner), notRemoved, ...shownAt(asOf)], values);
  return { text: `SELECT json FROM ${asOf === undefined ? view : versionsView} ${filter}`, values };
};

/** One row, if there is or was such a transaction that is not erased. */
export const knownTransaction = (owner: Owner, id: string): Query => {
  const values: unknown[] = [];
  const filter = where([equals('id', 'uuid', id), ...ownedBy(owner)], values);
  return { text: `SELECT id FROM ${versionsView} ${filter} LIMIT 1`, values };
};

type VersionRow = JsonRow & Caused & Readonly<{ removed: boolean }>;

/** What became of a transaction, oldest first. */
export const transactionHistory = (
  owner: Owner,
  id: string,
  { limit, after }: Pick<Paging, 'limit' | 'after'>,
): PageRead<VersionRow> => {
  const conditions = [equals('id', 'uuid', id), ...ownedBy(owner)];
  const page = { view: versionsView, conditions, order: orders.updatedAt, after, limit };
  return storedPage(page, {
    beside: () => `${causeColumns(changeId, 'recorded')}, removed`,
    write: (row) => changeText(row, updatedAtOf(row.json), ['transaction', row.removed ? 'null' : row.json]),
  });
};

export const singleTransaction = (json: string, fields: readonly string[] | undefined): string =>
  shapedAs(transactionFields, 'single', fields)(json);
