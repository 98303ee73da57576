import { rowJson } from '../field.ts';
import { keyText, orderBy, type Order } from '../keyset.ts';
import { jsonPage } from '../page.ts';
import { equals, ownedBy, where, type Owner, type Query } from '../query.ts';
import { transactionFields } from './fields.ts';

export type FeedFilters = Readonly<{ accountId?: string | undefined; connectionId?: string | undefined }>;

const view = 'read_models.transactions_v1';

const feedOrder: Order = [
  { column: 'updated_at', type: 'timestamptz' },
  { column: 'id', type: 'uuid' },
];

/** Before every row: the head of a feed that has none yet. */
export const feedBeginning: readonly string[] = ['1970-01-01T00:00:00.000000Z', '00000000-0000-0000-0000-000000000000'];

/** All that a removed row still tells. */
const removedFields = ['id', 'connectionId', 'accountId', 'updatedAt'];
/** The first text of the key is the time as it is shown, so it is made once. */
const transactionJson = rowJson(transactionFields, 'list', { updatedAt: 'row.k0' });

/**
 * One event of the feed: the row's newest state. `added`: it first appeared after the request's cursor. One stored
 * event may remove many rows, so the id of a removal is made from the event's and the row's.
 */
const eventJson = (fields: readonly string[] | undefined, [at, id]: readonly string[]): string => `concat(
  '{"eventId":"', CASE WHEN row.removed THEN md5(row.event_id::text || row.id::text)::uuid ELSE row.event_id END,
  '","eventAt":"', row.k0,
  '","type":"', CASE WHEN row.removed THEN 'removed'
    WHEN (row.added_at, row.id) > (${at}, ${id}) THEN 'added' ELSE 'modified' END,
  '","transaction":', CASE WHEN row.removed THEN ${transactionJson(removedFields)}
    ELSE ${transactionJson(fields)} END, '}')`;

/** The rows that changed after the key, oldest change first, removed ones included. */
export const feedPage = (
  owner: Owner,
  { accountId, connectionId }: FeedFilters,
  page: Readonly<{ fields: readonly string[] | undefined; limit: number; after: readonly string[] }>,
): Query => {
  const { fields, limit, after } = page;
  const conditions = [
    ...ownedBy(owner),
    equals('account_id', 'uuid', accountId),
    equals('connection_id', 'uuid', connectionId),
  ];
  return jsonPage({ view, conditions, order: feedOrder, after, limit }, (key) => eventJson(fields, key));
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
