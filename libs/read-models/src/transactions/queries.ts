import { rowJson } from '../field.ts';
import type { Order } from '../keyset.ts';
import { jsonPage } from '../page.ts';
import { atLeast, below, equals, ownedBy, where, type Owner, type Query } from '../query.ts';
import { transactionFields } from './fields.ts';

export const transactionStatuses = ['pending', 'posted', 'reversed', 'cancelled', 'unknown'] as const;

export const transactionRails = [
  'internalTransfer',
  'card',
  'ach',
  'pix',
  'caEft',
  'auNpp',
  'auBecsDirectEntry',
  'auRtgs',
  'sepaCredit',
  'sepaDebit',
  'bacsDirectDebit',
  'wire',
  'swift',
  'fasterPayments',
  'check',
  'cash',
  'crypto',
  'other',
  'unknown',
] as const;

const orders = {
  postedDate: [
    { column: 'sort_date', type: 'date' },
    { column: 'id', type: 'uuid' },
  ],
  '-postedDate': [
    { column: 'sort_date', type: 'date', descending: true },
    { column: 'id', type: 'uuid', descending: true },
  ],
  updatedAt: [
    { column: 'updated_at', type: 'timestamptz' },
    { column: 'id', type: 'uuid' },
  ],
  '-updatedAt': [
    { column: 'updated_at', type: 'timestamptz', descending: true },
    { column: 'id', type: 'uuid', descending: true },
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
}>;

type Paging = Readonly<{ fields: readonly string[] | undefined; limit: number; after: readonly string[] | undefined }>;

const view = 'read_models.transactions_v1';
const listJson = rowJson(transactionFields, 'list');
const singleJson = rowJson(transactionFields, 'single');
const notRemoved = 'NOT removed';

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

export const transactionsPage = (
  owner: Owner,
  filters: TransactionFilters,
  { sort, fields, limit, after }: Paging & Readonly<{ sort: TransactionSort }>,
): Query =>
  jsonPage(
    {
      view,
      conditions: [
        ...ownedBy(owner),
        equals('account_id', 'uuid', filters.accountId),
        equals('connection_id', 'uuid', filters.connectionId),
        equals('entity_id', 'uuid', filters.entityId),
        equals('status', 'text', filters.status),
        equals('rail', 'text', filters.rail),
        ...datesOf(filters, after === undefined ? undefined : sort),
      ],
      also: [notRemoved],
      order: orders[sort],
      after,
      limit,
    },
    () => listJson(fields),
  );

export const transactionById = (owner: Owner, id: string, fields: readonly string[] | undefined): Query => {
  const values: unknown[] = [];
  const filter = where([equals('id', 'uuid', id), ...ownedBy(owner)], values, [notRemoved]);
  return { text: `SELECT ${singleJson(fields)} AS data FROM ${view} AS row ${filter}`, values };
};
