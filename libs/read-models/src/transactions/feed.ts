import { keyText, orderBy, type Order } from '../keyset.ts';
import { storedPage, type JsonRow, type PageRead } from '../page.ts';
import { equals, ownedBy, where, type Owner, type Query } from '../query.ts';
import { shapedAs } from '../stored-json.ts';
import { changeId, updatedAtOf } from './change.ts';
import { transactionFields } from './fields.ts';

export type FeedFilters = Readonly<{ accountId?: string | undefined; connectionId?: string | undefined }>;

const view = 'read_models.transactions_v1';

const feedOrder: Order = [
  { column: 'updated_at', type: 'timestamptz', member: 'updatedAt' },
  { column: 'id', type: 'uuid', member: 'id' },
];

/** Before every row: the head of a feed that has none yet. */
export const feedBeginning: readonly string[] = ['1970-01-01T00:00:00.000000Z', '00000000-0000-0000-0000-000000000000'];

type EventRow = JsonRow & Readonly<{ eventId: string; type: 'added' | 'modified' | 'removed' }>;

/** One event of the feed: the row's newest state. `added`: it first appeared after the request's cursor. */
const eventColumns = ([at, id]: readonly string[]): string => `
  ${changeId} AS "eventId",
  CASE WHEN removed THEN 'removed' WHEN (added_at, id) > (${at}, ${id}) THEN 'added' ELSE 'modified' END AS type`;

/** The rows that changed after the key, oldest change first, removed ones included. */
export const feedPage = (
  owner: Owner,
  { accountId, connectionId }: FeedFilters,
  page: Readonly<{ fields: readonly string[] | undefined; limit: number; after: readonly string[] }>,
): PageRead<EventRow> => {
  const { fields, limit, after } = page;
  const scopes = [equals('account_id', 'uuid', accountId), equals('connection_id', 'uuid', connectionId)];
  const shaped = shapedAs(transactionFields, 'list', fields);
  const write = ({ json, eventId, type }: EventRow): string => {
    // A removed row has no more members than it always shows.
    const transaction = type === 'removed' ? json : shaped(json);
    return `{"eventId":"${eventId}","eventAt":"${updatedAtOf(json)}","type":"${type}","transaction":${transaction}}`;
  };
  const walk = { view, owned: ownedBy(owner), scopes, order: feedOrder, after, limit };
  return storedPage(walk, { beside: eventColumns, write });
};

/**
 * The key of the newest change. Rows become visible in the order of `updated_at`, so whatever changes later lies
 * behind it, whichever filter the feed is read with.
 */
export const feedHead = (owner: Owner): Query => {
  const values: unknown[] = [];
  const filter = where(ownedBy(owner), values);
  const newestFirst = feedOrder.map((sortKey) => ({ ...sortKey, descending: true as const })) as unknown as Order;
  const key = feedOrder.map((sortKey) => keyText(sortKey, sortKey.column)).join(', ');
  return { text: `SELECT ARRAY[${key}] AS key FROM ${view} ${filter} ${orderBy(newestFirst)} LIMIT 1`, values };
};
