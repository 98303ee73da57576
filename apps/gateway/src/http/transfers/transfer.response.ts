import type { TransferRow, TransferStatus } from '@causeway/read-models';

const money = (currency: string, value: string): object => ({ type: 'money', currency, value });

const withReason: ReadonlySet<TransferStatus> = new Set(['failed', 'returned', 'cancelled']);

const hasReason = ({ status, failureCode }: TransferRow): boolean => withReason.has(status) && failureCode !== null;

/** The shape of create, list and mutations. What is not known yet is left out. */
export const transferResponse = (row: TransferRow): object => ({
  id: row.id,
  status: row.status,
  type: row.type,
  requestedAmount: money(row.currency, row.requestedValue),
  sourceAccountId: row.sourceAccountId,
  destination: { type: 'account', accountId: row.destinationAccountId },
  transferType: row.transferType,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  ...(row.clientReference === null ? {} : { clientReference: row.clientReference }),
  ...(row.executedValue === null ? {} : { executedAmount: money(row.currency, row.executedValue) }),
  ...(row.memo === null ? {} : { memo: row.memo }),
  ...(hasReason(row) ? { failureReason: { code: row.failureCode, message: row.failureMessage ?? '' } } : {}),
});

/** The single read knows fewer statuses, and spells one of them differently. */
const singleStatus: Readonly<Record<TransferStatus, string>> = {
  queued: 'queued',
  executing: 'executing',
  pending_bank_approval: 'pendingBankApproval',
  completed: 'completed',
  failed: 'failed',
  returned: 'failed',
  cancelled: 'cancelled',
  unknown: 'executing',
};

const singleMemoLengthMax = 140;

/** By code point: a cut through a pair of surrogates is no text. */
const cut = (memo: string): string => Array.from(memo).slice(0, singleMemoLengthMax).join('');

const single = {
  id: (row) => row.id,
  // Each transfer is a batch of its own until several can be submitted in one request.
  batchId: (row) => row.id,
  connectionId: (row) => row.connectionId,
  sourceAccountId: (row) => row.sourceAccountId,
  amount: (row) => row.requestedValue,
  currency: (row) => row.currency,
  rail: () => 'internalTransfer',
  status: (row) => singleStatus[row.status],
  createdAt: (row) => row.createdAt,
  updatedAt: (row) => row.updatedAt,
  destinationAccountId: (row) => row.destinationAccountId,
  counterparty: () => null,
  memo: (row) => (row.memo === null ? null : cut(row.memo)),
  executionDate: (row) => row.executionDate,
  failureReason: (row) => (hasReason(row) ? row.failureCode : null),
  matchedTransactionId: () => null,
  completedAt: (row) => row.completedAt,
  metadata: () => ({}),
} as const satisfies Readonly<Record<string, (row: TransferRow) => unknown>>;

const identifiers: ReadonlySet<string> = new Set(['id', 'connectionId']);

export const singleTransferFields: readonly string[] = Object.keys(single);

export const singleTransferResponse = (row: TransferRow, fields: readonly string[] | undefined): object =>
  Object.fromEntries(
    Object.entries(single)
      .filter(([name]) => identifiers.has(name) || (fields?.includes(name) ?? true))
      .map(([name, read]) => [name, (read as (row: TransferRow) => unknown)(row)]),
  );
