import { externalTransferTypes, paymentSchemes, type TransferV1 } from '@causeway/contracts';
import { IsCurrency, IsOneOf, IsShape, IsTimestamp, IsUuid, MayBeLeftOut, rule } from '@causeway/http';
import { transferStatuses, type TransferStatus } from '@causeway/read-models';
import { IsString } from 'class-validator';
import { addressOf, text } from './schemas.ts';

class MoneyResponse {
  @IsOneOf(['money']) type!: 'money';
  @IsCurrency() currency!: string;
  @IsString() value!: string;
}

const transferTypes = ['internal', ...externalTransferTypes];
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
  @IsString() code!: string;
  @IsString() message!: string;
}

export class TransferResponse {
  @IsUuid() id!: string;
  @IsOneOf(transferStatuses) status!: TransferStatus;
  @IsOneOf(['internal', 'external']) type!: string;
  @IsShape(MoneyResponse) requestedAmount!: MoneyResponse;
  @IsUuid() sourceAccountId!: string;
  @IsDestination() destination!: object;
  @IsOneOf(transferTypes) transferType!: string;
  @IsTimestamp() createdAt!: string;
  @IsTimestamp() updatedAt!: string;
  @MayBeLeftOut() @IsString() clientReference?: string;
  @MayBeLeftOut() @IsShape(MoneyResponse) executedAmount?: MoneyResponse;
  @MayBeLeftOut() @IsString() memo?: string;
  @MayBeLeftOut() @IsShape(FailureReasonResponse) failureReason?: FailureReasonResponse;
}

const money = (currency: string, value: string): MoneyResponse => ({ type: 'money', currency, value });

const withReason: ReadonlySet<TransferStatus> = new Set(['failed', 'returned', 'cancelled']);

export const hasReason = ({ status, failureCode }: TransferV1): boolean =>
  withReason.has(status) && failureCode !== null;

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
