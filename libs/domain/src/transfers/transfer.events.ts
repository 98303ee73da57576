import type { Payee } from './payee.ts';
import type { TransferType } from './transfer-type.ts';

/** What is to be paid. Amounts are decimal strings as the caller wrote them; null where the caller said nothing. */
export type Order = Readonly<{
  amount: Readonly<{ currency: string; value: string }>;
  /** The connection of the paying account: the payment goes through it. */
  connectionId: string;
  institutionId: string;
  sourceAccountId: string;
  /** An account of the same connection, or somebody else. */
  destination: Readonly<{ type: 'account'; accountId: string }> | Readonly<{ type: 'external'; payee: Payee }>;
  transferType: TransferType;
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

/** What clients are told of a failure: one sentence a code, so that nothing that a bank said of it is kept. */
export const failureMessages: Readonly<Record<FailureCode, string>> = {
  insufficient_funds: 'The available balance is too low.',
  account_closed: 'The paying account is closed.',
  invalid_destination: 'The receiving account cannot be paid to.',
  limit_exceeded: 'The payment exceeds a limit at the bank.',
  rejected_by_bank: 'The bank rejected the payment.',
  approval_declined: 'The approver at the bank said no.',
  approval_expired: 'Nobody approved the payment at the bank in time.',
  cancelled_by_caller: 'The transfer was cancelled before it was sent.',
  returned_by_beneficiary: 'The receiving side returned the money.',
  connection_unavailable: 'The connection of the paying account cannot be used.',
  bank_error: 'The bank did not take the order.',
};

export type DeclaredOutcome = 'sent' | 'not_sent';

/** Who said so, and why: for who looks at its history. */
export type ByOperator = Readonly<{ reason: string; operator: string }>;

/**
 * What can have happened to a transfer. These names and shapes are on disk for good: add a case, or a V2 beside a case;
 * never change one. Times are UTC with milliseconds. `attempt`: 0 the first, n the n-th retry. `requestId`: of the request
 * that asked for it, so that the same request again changes nothing.
 */
export type TransferEvent =
  /** The payload is under a data key of the organization where somebody else is to be paid. */
  | Readonly<{ type: 'TransferQueued'; data: Readonly<{ order: Order; queuedAt: string }> }>
  /** What failed is to be tried once more, under a reference of its own. */
  | Readonly<{
      type: 'TransferRetried';
      data: Readonly<{ attempt: number; institutionId: string; requestId: string; retriedAt: string }>;
    }>
  /** Recorded before the bank is called: whatever happens then, it is known that something may have. */
  | Readonly<{ type: 'TransferExecutionStarted'; data: Readonly<{ attempt: number; startedAt: string }> }>
  /** The bank has the order and waits for its user's approval. */
  | Readonly<{ type: 'TransferAwaitsApproval'; data: Readonly<{ awaitingSince: string }> }>
  /** It cannot be known from here what the bank did: it is asked, and never sent the order again. */
  | Readonly<{ type: 'TransferOutcomeLost'; data: Readonly<{ lostAt: string }> }>
  | Readonly<{
      type: 'TransferCompleted';
      data: Readonly<{ executedValue: string; completedAt: string }>;
    }>
  | Readonly<{ type: 'TransferFailed'; data: Readonly<{ failure: FailureCode; failedAt: string }> }>
  /** The approver said no, or not in time; or the caller, before it was sent. `requestId`: the caller's, or null. */
  | Readonly<{
      type: 'TransferCancelled';
      data: Readonly<{ failure: FailureCode; requestId: string | null; cancelledAt: string }>;
    }>
  /** The money went and came back. */
  | Readonly<{ type: 'TransferReturned'; data: Readonly<{ failure: FailureCode; returnedAt: string }> }>
  /** The bank's statement shows the payment: as this transaction of the paying account. */
  | Readonly<{ type: 'TransferMatched'; data: Readonly<{ transactionId: string; matchedAt: string }> }>
  /** What an operator knows of a lost outcome. The bank is asked once more, and it counts where the bank has no word. */
  | Readonly<{
      type: 'TransferOutcomeDeclared';
      data: Readonly<{ outcome: DeclaredOutcome; institutionId: string; declaredAt: string }> & ByOperator;
    }>
  /** An operator says which transaction it is; null: none of those that it was matched to. */
  | Readonly<{
      type: 'TransferRematched';
      data: Readonly<{ transactionId: string | null; rematchedAt: string }> & ByOperator;
    }>;
