import { newestFirst, single, type Model, type Paging } from '../newest-first.ts';
import { atLeast, below, equals, ownedBy, type Owner, type Query } from '../query.ts';
import type { TransferRow } from './row.ts';
import { transferColumns } from './view.ts';

export type TransferFilters = Readonly<{
  status?: string | undefined;
  accountId?: string | undefined;
  clientReference?: string | undefined;
  /** The one that an idempotency key stands for. */
  id?: string | undefined;
  createdAtGte?: string | undefined;
  createdAtLt?: string | undefined;
}>;

const model: Model<TransferRow> = { view: 'read_models.transfers_v1', columns: transferColumns, idColumn: 'id' };

/** `createdAt` is shown in milliseconds: a bound that repeats what was shown must find the row it was read from. */
const createdAt = "date_trunc('milliseconds', created_at)";

export const transfersPage = (owner: Owner, filters: TransferFilters, paging: Paging): Query =>
  newestFirst(
    model,
    [
      ...ownedBy(owner),
      equals('status', 'text', filters.status),
      equals('client_reference', 'text', filters.clientReference),
      equals('id', 'uuid', filters.id),
      {
        sql: (place) => `(source_account_id = ${place} OR destination_account_id = ${place})`,
        type: 'uuid',
        value: filters.accountId,
      },
      atLeast(createdAt, 'timestamptz', filters.createdAtGte),
      below(createdAt, 'timestamptz', filters.createdAtLt),
    ],
    paging,
  );

/** The transfer that a transaction is matched to. */
export const transferMatchedTo = (owner: Owner, transactionId: string): Query =>
  single(model, [equals('matched_transaction_id', 'uuid', transactionId), ...ownedBy(owner)]);

export const transferById = (owner: Owner, id: string): Query =>
  single(model, [equals('id', 'uuid', id), ...ownedBy(owner)]);
