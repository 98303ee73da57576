import type { CommandContract, Scope } from './contract.ts';
import type { PublicKeyText } from './sealed.ts';
import type { Day, Timestamp, Uuid } from './values.ts';

export const transfersCommands = 'causeway.transfers.commands';

/** What is asked for before somebody else is paid: the gateway seals to this key who it is. */
export type PayeeKeyV1 = Readonly<{ publicKey: PublicKeyText }>;

export const getPayeeKey: CommandContract<Scope, PayeeKeyV1> = {
  type: 'transfers.get-payee-key.v1',
  topic: transfersCommands,
  keyOf: ({ organization }) => organization,
};

export const paymentSchemes = [
  'us_ach',
  'us_wire',
  'us_rtp',
  'us_fednow',
  'iban',
  'swift',
  'uk_sort_code_account_number',
  'local',
] as const;
export type PaymentScheme = (typeof paymentSchemes)[number];

/** Who is paid, as the caller wrote it; null for what was left out. Crosses the bus sealed, with the transfer that it is for. */
export type PayeeV1 = Readonly<{
  name: string;
  paymentIdentifier: Readonly<{
    scheme: PaymentScheme;
    countryCode: string;
    currency: string;
    details: Readonly<Record<string, string>>;
  }>;
  bankName: string | null;
  address: Readonly<Record<'line1' | 'line2' | 'city' | 'region' | 'postalCode' | 'country', string | null>> | null;
}>;
export type SealedPayee = Readonly<{ transferId: Uuid; payee: PayeeV1 }>;

export const externalTransferTypes = ['ach', 'wire', 'swift', 'fednow', 'rtp', 'sepa', 'local'] as const;
export type TransferTypeV1 = 'internal' | (typeof externalTransferTypes)[number];

/**
 * `transferId`: the same for every request under one idempotency key. `amount`: greater than zero, as the caller wrote
 * it. `sealedPayee`: a `SealedPayee` as JSON, sealed to the key of `getPayeeKey`. `executionDate`: a date; null: the earliest.
 */
export type CreateTransferV1 = Scope &
  Readonly<{
    transferId: Uuid;
    amount: Readonly<{ currency: string; value: string }>;
    sourceAccountId: Uuid;
    destination: Readonly<{ type: 'account'; accountId: Uuid }> | Readonly<{ type: 'external'; sealedPayee: string }>;
    transferType: TransferTypeV1;
    clientReference: string | null;
    executionDate: Day | null;
    memo: string | null;
    skipPreflight: boolean;
  }>;

/** A transfer as it is answered: of a payee what may be shown. Values as the caller wrote them. */
export type TransferV1 = Readonly<{
  id: Uuid;
  status:
    'queued' | 'executing' | 'pending_bank_approval' | 'completed' | 'failed' | 'returned' | 'cancelled' | 'unknown';
  transferType: TransferTypeV1;
  currency: string;
  requestedValue: string;
  executedValue: string | null;
  sourceAccountId: Uuid;
  destinationAccountId: Uuid | null;
  payee: PayeeV1 | null;
  clientReference: string | null;
  memo: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}>;

/** `replayed`: the same was asked for before. */
export type AcceptedTransferV1 = Readonly<{ transfer: TransferV1; replayed: boolean }>;

/**
 * Problems: 400 invalid_request for a date that is past, a payee that cannot be one or one account on both sides, 400
 * preflight_failed, 409 for an idempotency key reused for another order and beyond the quota.
 */
export const createTransfer: CommandContract<CreateTransferV1, AcceptedTransferV1> = {
  type: 'transfers.create-transfer.v1',
  topic: transfersCommands,
  keyOf: ({ transferId }) => transferId,
};

/** `requestId`: the same for every request under one idempotency key; null: a request of its own. */
export type ChangeTransferV1 = Scope & Readonly<{ transferId: Uuid; requestId: Uuid | null }>;

/** Tries once more what has failed. Problems: 404; 409 in any other status. */
export const retryTransfer: CommandContract<ChangeTransferV1, AcceptedTransferV1> = {
  type: 'transfers.retry-transfer.v1',
  topic: transfersCommands,
  keyOf: ({ transferId }) => transferId,
};

/** Before it is sent to the bank. Problems: 404; 409 in any other status. */
export const cancelTransfer: CommandContract<ChangeTransferV1, AcceptedTransferV1> = {
  type: 'transfers.cancel-transfer.v1',
  topic: transfersCommands,
  keyOf: ({ transferId }) => transferId,
};
