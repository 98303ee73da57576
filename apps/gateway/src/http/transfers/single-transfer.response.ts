import { externalTransferTypes } from '@causeway/contracts';
import type { JsonSchema } from '@causeway/http';
import type { ShownPayee, TransferRow, TransferStatus } from '@causeway/read-models';
import { addressOf, orNull, text } from './schemas.ts';
import { hasReason } from './transfer.response.ts';

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

/** Flat, whatever the scheme; null for what it does not have. A sort code is a routing number, too. */
const counterpartyOf = ({
  name,
  paymentIdentifier: { countryCode, details },
  bankName,
  address,
}: ShownPayee): object => ({
  name,
  accountNumber: details['accountNumber'] ?? null,
  routingNumber: details['routingNumber'] ?? details['sortCode'] ?? null,
  iban: details['iban'] ?? null,
  swiftBic: details['swiftBic'] ?? null,
  ...{ bankName, bankCountry: countryCode, address },
});

const counterpartyTexts = ['accountNumber', 'routingNumber', 'iban', 'swiftBic', 'bankName', 'bankCountry'];
const counterparty = {
  type: 'object',
  properties: {
    ...{ name: text, address: orNull(addressOf(orNull(text))) },
    ...Object.fromEntries(counterpartyTexts.map((name) => [name, orNull(text)])),
  },
};

const single = {
  id: (row) => row.id,
  // Each transfer is a batch of its own until several can be submitted in one request.
  batchId: (row) => row.id,
  connectionId: (row) => row.connectionId,
  sourceAccountId: (row) => row.sourceAccountId,
  amount: (row) => row.requestedValue,
  currency: (row) => row.currency,
  rail: ({ transferType }) => (transferType === 'internal' ? 'internalTransfer' : transferType),
  status: (row) => singleStatus[row.status],
  createdAt: (row) => row.createdAt,
  updatedAt: (row) => row.updatedAt,
  destinationAccountId: (row) => row.destinationAccountId,
  counterparty: ({ payee }) => payee && counterpartyOf(payee),
  memo: (row) => (row.memo === null ? null : cut(row.memo)),
  executionDate: (row) => row.executionDate,
  failureReason: (row) => (hasReason(row) ? row.failureCode : null),
  matchedTransactionId: (row) => row.matchedTransactionId,
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

const uuid = { type: 'string', format: 'uuid' };
const timestamp = { type: 'string', format: 'date-time' };
const singleSchemas: Readonly<Record<keyof typeof single, JsonSchema>> = {
  ...{ id: uuid, batchId: uuid, connectionId: uuid, sourceAccountId: uuid, amount: text, currency: text },
  rail: { type: 'string', enum: ['internalTransfer', ...externalTransferTypes] },
  status: { type: 'string', enum: [...new Set(Object.values(singleStatus))] },
  ...{ createdAt: timestamp, updatedAt: timestamp, destinationAccountId: orNull(uuid), memo: orNull(text) },
  ...{ counterparty: orNull(counterparty), executionDate: orNull({ type: 'string', format: 'date' }) },
  ...{ failureReason: orNull(text), matchedTransactionId: orNull(uuid), completedAt: orNull(timestamp) },
  metadata: { type: 'object' },
};

export const singleTransferSchema: JsonSchema = {
  title: 'SingleTransfer',
  type: 'object',
  required: [...identifiers],
  properties: singleSchemas,
};
