export const transferStatuses = [
  'queued',
  'executing',
  'pending_bank_approval',
  'completed',
  'failed',
  'returned',
  'cancelled',
  'unknown',
] as const;
export type TransferStatus = (typeof transferStatuses)[number];

/** Whom a transfer pays, as it may be shown: accounts by their end. Null for what the caller did not say. */
export type ShownPayee = Readonly<{
  name: string;
  paymentIdentifier: Readonly<{
    scheme: 'us_ach' | 'us_wire' | 'us_rtp' | 'us_fednow' | 'iban' | 'swift' | 'uk_sort_code_account_number' | 'local';
    countryCode: string;
    currency: string;
    details: Readonly<Record<string, string>>;
  }>;
  bankName: string | null;
  address: Readonly<Record<'line1' | 'line2' | 'city' | 'region' | 'postalCode' | 'country', string | null>> | null;
}>;

/** Both read shapes of a transfer are made from this row. It has a receiving account or a payee. */
export type TransferRow = Readonly<{
  organization: string;
  environment: 'live' | 'test';
  id: string;
  status: TransferStatus;
  transferType: 'internal' | 'ach' | 'wire' | 'swift' | 'fednow' | 'rtp' | 'sepa' | 'local';
  requestedValue: string;
  executedValue: string | null;
  currency: string;
  connectionId: string;
  sourceAccountId: string;
  destinationAccountId: string | null;
  payee: ShownPayee | null;
  clientReference: string | null;
  memo: string | null;
  executionDate: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  createdAt: string;
  updatedAt: string;
  completedAt: string | null;
  matchedTransactionId: string | null;
}>;
