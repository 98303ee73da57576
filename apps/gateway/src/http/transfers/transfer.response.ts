import { IsCurrency, IsOneOf, IsShape, IsTimestamp, IsUuid, MayBeLeftOut, type JsonSchema } from '@causeway/http';
import { transferStatuses, type TransferRow, type TransferStatus } from '@causeway/read-models';
import { IsString } from 'class-validator';

class MoneyResponse {
  @IsOneOf(['money'])
  type!: 'money';

  @IsCurrency()
  currency!: string;

  @IsString()
  value!: string;
}

class DestinationResponse {
  @IsOneOf(['account'])
  type!: 'account';

  @IsUuid()
  accountId!: string;
}

class FailureReasonResponse {
  @IsString()
  code!: string;

  @IsString()
  message!: string;
}

export class TransferResponse {
  @IsUuid()
  id!: string;

  @IsOneOf(transferStatuses)
  status!: TransferStatus;

  @IsOneOf(['internal'])
  type!: string;

  @IsShape(MoneyResponse)
  requestedAmount!: MoneyResponse;

  @IsUuid()
  sourceAccountId!: string;

  @IsShape(DestinationResponse)
  destination!: DestinationResponse;

  @IsOneOf(['internal'])
  transferType!: string;

  @IsTimestamp()
  createdAt!: string;

  @IsTimestamp()
  updatedAt!: string;

  @MayBeLeftOut()
  @IsString()
  clientReference?: string;

  @MayBeLeftOut()
  @IsShape(MoneyResponse)
  executedAmount?: MoneyResponse;

  @MayBeLeftOut()
  @IsString()
  memo?: string;

  @MayBeLeftOut()
  @IsShape(FailureReasonResponse)
  failureReason?: FailureReasonResponse;
}

const money = (currency: string, value: string): MoneyResponse => ({ type: 'money', currency, value });

const withReason: ReadonlySet<TransferStatus> = new Set(['failed', 'returned', 'cancelled']);

const hasReason = ({ status, failureCode }: TransferRow): boolean => withReason.has(status) && failureCode !== null;

/** The shape of create, list and mutations. What is not known yet is left out. */
export const transferResponse = (row: TransferRow): TransferResponse => ({
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
  ...(hasReason(row) ? { failureReason: { code: row.failureCode ?? '', message: row.failureMessage ?? '' } } : {}),
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

const uuid = { type: 'string', format: 'uuid' };
const timestamp = { type: 'string', format: 'date-time' };
const text = { type: 'string' };
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

const singleSchemas: Readonly<Record<keyof typeof single, JsonSchema>> = {
  ...{ id: uuid, batchId: uuid, connectionId: uuid, sourceAccountId: uuid, amount: text, currency: text },
  rail: { type: 'string', enum: ['internalTransfer', 'ach', 'wire', 'swift', 'fednow', 'rtp', 'sepa', 'local'] },
  status: { type: 'string', enum: [...new Set(Object.values(singleStatus))] },
  ...{ createdAt: timestamp, updatedAt: timestamp, destinationAccountId: orNull(uuid), memo: orNull(text) },
  ...{ counterparty: { type: ['object', 'null'] }, executionDate: orNull({ type: 'string', format: 'date' }) },
  ...{ failureReason: orNull(text), matchedTransactionId: orNull(uuid), completedAt: orNull(timestamp) },
  metadata: { type: 'object' },
};

export const singleTransferSchema: JsonSchema = {
  title: 'SingleTransfer',
  type: 'object',
  required: [...identifiers],
  properties: singleSchemas,
};
