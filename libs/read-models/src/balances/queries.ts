import { rowJson } from '../field.ts';
import type { Order } from '../keyset.ts';
import { renderedPage, type PageRead } from '../page.ts';
import { atLeast, atMost, below, equals, ownedBy, where, type Owner, type Query } from '../query.ts';
import { shownAt } from '../versions.ts';
import { balanceFields } from './fields.ts';

export type BalanceFilters = Readonly<{
  accountId?: string | undefined;
  connectionId?: string | undefined;
  entityId?: string | undefined;
  dateGte?: string | undefined;
  dateLt?: string | undefined;
  updatedAtGte?: string | undefined;
  /** Days as they were shown at this instant. */
  asOf?: string | undefined;
}>;

type Paging = Readonly<{ limit: number; after: readonly string[] | undefined }>;

const view = 'read_models.balances_v1';
const versionsView = 'read_models.balance_versions_v1';

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

export const balancesPage = (owner: Owner, filters: BalanceFilters, { limit, after }: Paging): PageRead => {
  const scopes = [
    equals('account_id', 'uuid', filters.accountId),
    equals('connection_id', 'uuid', filters.connectionId),
    equals('entity_id', 'uuid', filters.entityId),
  ];
  const { asOf } = filters;
  const page = { view: asOf === undefined ? view : versionsView, owned: ownedBy(owner), scopes, after, limit };
  const dates = [atLeast('date', 'date', filters.dateGte), below('date', 'date', filters.dateLt)];
  if (filters.updatedAtGte === undefined)
    return renderedPage({ ...page, conditions: dates, along: shownAt(asOf), order: newestDateFirst }, json);
  // The key lies above this bound. With both, the index would start at the bound and step over every earlier page.
  const since = atLeast('updated_at', 'timestamptz', after === undefined ? filters.updatedAtGte : undefined);
  const until = atMost('updated_at', 'timestamptz', asOf);
  const along = [...dates, ...shownAt(asOf)];
  return renderedPage({ ...page, conditions: [since, until], along, order: oldestChangeFirst }, json);
};

/** A day of an account. */
export type BalanceDay = Readonly<{ accountId: string; date: string }>;

const isDay = ({ accountId, date }: BalanceDay) => [
  equals('account_id', 'uuid', accountId),
  equals('date', 'date', date),
];

/** One row, if the day has one. */
export const knownBalance = (owner: Owner, day: BalanceDay): Query => {
  const values: unknown[] = [];
  return { text: `SELECT date FROM ${view} ${where([...isDay(day), ...ownedBy(owner)], values)}`, values };
};

const change = `concat('{"eventId":"', row.event_id, '","recordedAt":"',
  to_char(row.updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '","cause":"', coalesce(row.cause, 'derived'),
  '","reason":', coalesce(JSON_SCALAR(row.reason), 'null'), ',"operator":', coalesce(JSON_SCALAR(row.operator), 'null'),
  ',"balance":', ${json}, '}')`;

/** What became of a day, oldest first. */
export const balanceHistory = (owner: Owner, day: BalanceDay, { limit, after }: Paging): PageRead => {
  const conditions = [...isDay(day), ...ownedBy(owner)];
  return renderedPage({ view: versionsView, conditions, order: oldestChangeFirst, after, limit }, change);
};
