/** What is to be paid. Amounts are decimal strings as the caller wrote them; null where the caller said nothing. */
export type Order = Readonly<{
  amount: Readonly<{ currency: string; value: string }>;
  /** The connection of the paying account: the payment goes through it. */
  connectionId: string;
  institutionId: string;
  sourceAccountId: string;
  destinationAccountId: string;
  clientReference: string | null;
  memo: string | null;
  /** Not before this day, by the bank’s calendar. Null: at once. */
  executionDate: string | null;
  /** Whether the checks that may be skipped were. */
  skipPreflight: boolean;
}>;

export type FailureCode =
  | 'insufficient_funds'
  | 'account_closed'
  | 'invalid_destination'
  | 'limit_exceeded'
  | 'rejected_by_bank'
  | 'approval_declined'
  | 'approval_expired'
  | 'cancelled_by_caller'
  | 'returned_by_beneficiary'
  | 'connection_unavailable'
  | 'bank_error';

export type Failure = Readonly<{ code: FailureCode; message: string }>;

/**
 * What can have happened to a transfer. These names and shapes are on disk for good: add a case, or a V2 beside a case;
 * never change one. Times are UTC with milliseconds.
 */
export type TransferEvent =
  | Readonly<{ type: 'TransferQueued'; data: Readonly<{ order: Order; queuedAt: string }> }>
  /** Recorded before the bank is called: whatever happens then, it is known that something may have. */
  | Readonly<{ type: 'TransferExecutionStarted'; data: Readonly<{ attempt: number; startedAt: string }> }>
  /** The bank has the order and waits for its user's approval. */
  | Readonly<{ type: 'TransferAwaitsApproval'; data: Readonly<{ awaitingSince: string }> }>
  /** It cannot be known from here what the bank did: it is asked, and never sent the order again. */
  | Readonly<{ type: 'TransferOutcomeLost'; data: Readonly<{ lostAt: string }> }>
  | Readonly<{
      type: 'TransferCompleted';
      /** `bankReference` null: the bank tells of it only that the money came back. */
      data: Readonly<{ bankReference: string | null; executedValue: string; completedAt: string }>;
    }>
  | Readonly<{ type: 'TransferFailed'; data: Readonly<{ failure: Failure; failedAt: string }> }>
  /** The approver said no, or not in time. */
  | Readonly<{ type: 'TransferCancelled'; data: Readonly<{ failure: Failure; cancelledAt: string }> }>
  /** The money went and came back. */
  | Readonly<{ type: 'TransferReturned'; data: Readonly<{ failure: Failure; returnedAt: string }> }>;
