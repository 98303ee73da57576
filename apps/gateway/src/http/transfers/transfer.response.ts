import { externalTransferTypes, paymentSchemes, type TransferV1 } from '@causeway/contracts';
import { IsCurrency, IsOneOf, IsShape, IsTimestamp, IsUuid, MayBeLeftOut, rule, type JsonSchema } from '@causeway/http';
import { transferStatuses, type ShownPayee, type TransferRow, type TransferStatus } from '@causeway/read-models';
import { IsString } from 'class-validator';

class MoneyResponse {
  @IsOneOf(['money'])
  type!: 'money';

  @IsCurrency()
  currency!: string;

  @IsString()
  value!: string;
}

const text = { type: 'string' };
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

const transferTypes = ['internal', ...externalTransferTypes];
const addressLines = ['line1', 'line2', 'city', 'region', 'postalCode', 'country'];
const addressOf = (line: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(addressLines.map((name) => [name, line])),
});

const paymentIdentifier = {
  type: 'object',
  required: ['scheme', 'countryCode', 'currency', 'details'],
  properties: {
    ...{ scheme: { type: 'string', enum: paymentSchemes }, countryCode: text, currency: text },
    details: { type: 'object', additionalProperties: text },
  },
};

/** Of others no more than may be shown: accounts by their end. */
const IsDestination = (): PropertyDecorator =>
  rule('isDestination', (value) => typeof value === 'object', 'must be a destination', {
    oneOf: [
      {
        ...{ type: 'object', required: ['type', 'accountId'] },
        properties: { type: { const: 'account' }, accountId: { type: 'string', format: 'uuid' } },
      },
      {
        ...{ type: 'object', required: ['type', 'name', 'paymentIdentifier'] },
        properties: {
          ...{ type: { const: 'external' }, name: text, paymentIdentifier, bankName: text },
          address: addressOf(text),
        },
      },
    ],
  });

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

  @IsOneOf(['internal', 'external'])
  type!: string;

  @IsShape(MoneyResponse)
  requestedAmount!: MoneyResponse;

  @IsUuid()
  sourceAccountId!: string;

  @IsDestination()
  destination!: object;

  @IsOneOf(transferTypes)
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

const hasReason = ({ status, failureCode }: TransferV1): boolean => withReason.has(status) && failureCode !== null;

/** What the caller left out stays out. */
const told = (members: Readonly<Record<string, string | null>>): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

const destinationOf = ({ payee, destinationAccountId }: TransferV1): object => {
  if (payee === null) return { type: 'account', accountId: destinationAccountId };
  const { name, paymentIdentifier, bankName, address } = payee;
  const where = { ...told({ bankName }), ...(address && { address: told(address) }) };
  return { type: 'external', name, paymentIdentifier, ...where };
};

/** The shape of create, list and mutations. What is not known yet is left out. */
export const transferResponse = (row: TransferV1): TransferResponse => ({
  id: row.id,
  status: row.status,
  type: row.payee === null ? 'internal' : 'external',
  requestedAmount: money(row.currency, row.requestedValue),
  sourceAccountId: row.sourceAccountId,
  destination: destinationOf(row),
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
