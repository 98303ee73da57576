import { rowJson } from '../field.ts';
import type { Order } from '../keyset.ts';
import { renderedPage, type PageRead } from '../page.ts';
import { equals, ownedBy, where, type Owner, type Query } from '../query.ts';
import { accountFields } from './fields.ts';

export type AccountFilters = Readonly<{
  connectionId?: string | undefined;
  entityId?: string | undefined;
  type?: string | undefined;
  currency?: string | undefined;
  status?: string | undefined;
}>;

type Paging = Readonly<{ fields: readonly string[] | undefined; limit: number; after: readonly string[] | undefined }>;

const view = 'read_models.accounts_v1';
const listJson = rowJson(accountFields, 'list');
const singleJson = rowJson(accountFields, 'single');

const oldestFirst: Order = [
  { column: 'created_at', type: 'timestamptz' },
  { column: 'id', type: 'uuid' },
];

export const accountsPage = (owner: Owner, filters: AccountFilters, { fields, limit, after }: Paging): PageRead =>
  renderedPage(
    {
      ...{ view, owned: ownedBy(owner), order: oldestFirst, after, limit },
      scopes: [equals('connection_id', 'uuid', filters.connectionId), equals('entity_id', 'uuid', filters.entityId)],
      along: [
        equals('type', 'text', filters.type),
        equals('currency', 'text', filters.currency),
        equals('status', 'text', filters.status),
      ],
    },
    listJson(fields),
  );

export const accountById = (owner: Owner, id: string, fields: readonly string[] | undefined): Query => {
  const values: unknown[] = [];
  const filter = where([equals('id', 'uuid', id), ...ownedBy(owner)], values);
  return { text: `SELECT ${singleJson(fields)} AS data FROM ${view} AS row ${filter}`, values };
};
