import { rowJson } from '../field.ts';
import type { Order } from '../keyset.ts';
import { renderedPage, type PageRead } from '../page.ts';
import { atLeast, below, equals, ownedBy, type Owner } from '../query.ts';
import { balanceFields } from './fields.ts';

export type BalanceFilters = Readonly<{
  accountId?: string | undefined;
  connectionId?: string | undefined;
  entityId?: string | undefined;
  dateGte?: string | undefined;
  dateLt?: string | undefined;
  updatedAtGte?: string | undefined;
}>;

const newestDateFirst: Order = [
  { column: 'date', type: 'date', descending: true },
  { column: 'account_id', type: 'uuid' },
];

/** For whoever polls by `updatedAtGte`: what changed last comes last. */
const oldestChangeFirst: Order = [
  { column: 'updated_at', type: 'timestamptz' },
  { column: 'account_id', type: 'uuid' },
  { column: 'date', type: 'date' },
];

const json = rowJson(balanceFields, 'list')(undefined);

export const balancesPage = (
  owner: Owner,
  filters: BalanceFilters,
  { limit, after }: Readonly<{ limit: number; after: readonly string[] | undefined }>,
): PageRead => {
  const scopes = [
    equals('account_id', 'uuid', filters.accountId),
    equals('connection_id', 'uuid', filters.connectionId),
    equals('entity_id', 'uuid', filters.entityId),
  ];
  const page = { view: 'read_models.balances_v1', owned: ownedBy(owner), scopes, after, limit };
  const dates = [atLeast('date', 'date', filters.dateGte), below('date', 'date', filters.dateLt)];
  if (filters.updatedAtGte === undefined)
    return renderedPage({ ...page, conditions: dates, order: newestDateFirst }, json);
  // The key lies above this bound. With both, the index would start at the bound and step over every earlier page.
  const since = atLeast('updated_at', 'timestamptz', after === undefined ? filters.updatedAtGte : undefined);
  return renderedPage({ ...page, conditions: [since], along: dates, order: oldestChangeFirst }, json);
};
