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

/** Both read shapes of a transfer are made from this row. */
export type TransferRow = Readonly<{
  organization: string;
  environment: 'live' | 'test';
  id: string;
  status: TransferStatus;
  type: 'internal';
  transferType: 'internal';
  requestedValue: string;
  executedValue: string | null;
  currency: string;
  connectionId: string;
  sourceAccountId: string;
  destinationAccountId: string;
  clientReference: string | null;
  memo: string | null;
  executionDate: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  createdAt: string;
  updatedAt: string;
  completedAt: string | null;
}>;
