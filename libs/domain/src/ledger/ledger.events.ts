import type { ErasureReceipt } from './receipt.ts';
import type { Coverage, TransactionContent } from './statement.ts';

/**
 * What can have happened to the ledger of an account. These names and shapes are on disk for good: add a case, or a V2
 * beside a case; never change one. Organization and environment are in each event's metadata, and the place of the page.
 *
 * Stream `ledger-<accountId>`, payload under the connection's data key.
 */
export type LedgerEvent =
  | { type: 'LedgerOpened'; data: LedgerOwner & { accountId: string; currency: string } }
  /** A transaction that was never seen before. */
  | { type: 'TransactionRecorded'; data: LedgerOwner & Seen & { status: SeenStatus } & ByRemap }
  /** One that was withdrawn, and that the bank shows again. It is as it is here, whatever it was before. */
  | { type: 'TransactionReinstated'; data: LedgerOwner & Seen & { status: SeenStatus } & ByRemap }
  /** A pending one (or one that had vanished as pending) entered the bank's books, perhaps with another amount. */
  | { type: 'TransactionPosted'; data: Seen & { previous: Previous } }
  /** Something of it that a client can see is different now. `previous.status` cancelled: it is back as pending. */
  | { type: 'TransactionRestated'; data: Seen & { status: SeenStatus; previous: Previous } }
  /** Only what it is recognised by is different. Nothing that a client can see has changed. */
  | { type: 'TransactionRelabelled'; data: Seen }
  /** A pending one vanished. */
  | { type: 'TransactionCancelled'; data: { transactionId: string } & ByRemap }
  /** A posted one is no longer in the bank's record. */
  | { type: 'TransactionWithdrawn'; data: { transactionId: string; previous: Previous } & ByRemap }
  /** The bank took a posted one back by another row of its own, the counter-row. Both stay in its books. */
  | { type: 'TransactionReversed'; data: { transactionId: string; counterId: string } & ByRemap }
  /** The counter-row is no longer in the bank's record: the transaction is posted as it was. */
  | { type: 'TransactionReversalWithdrawn'; data: { transactionId: string } & ByRemap }
  /** The bank stated a closing booked balance that was not known, or another one than before. */
  | { type: 'BalanceReported'; data: LedgerOwner & { currency: string; date: string; amount: string } }
  /**
   * What a page said beside what it changed. `shown`: rows that it showed as they were, on days that it does not cover;
   * `balances`: dates whose closing balance it stated as it was. An older page says nothing of all that.
   */
  | { type: 'PageBooked'; data: { coverage: Coverage; shown: readonly string[]; balances: readonly string[] } }
  /** The present mapping reads the bank's record otherwise than the one that it was booked by. */
  | { type: 'TransactionRemapped'; data: Seen & { status: SeenStatus; previous: Previous } & ByOperator }
  | { type: 'BalanceRemapped'; data: LedgerOwner & { currency: string; date: string; amount: string } & ByOperator }
  /** What was folded of the events before is shown otherwise than it was until then; it counts as changed now. */
  | {
      type: 'TransactionCorrected';
      data: LedgerOwner & {
        transactionId: string;
        change: Corrected;
        answered: readonly AnsweredTransaction[];
      } & ByOperator;
    }
  | {
      type: 'BalanceCorrected';
      data: LedgerOwner & { date: string; change: Corrected; answered: readonly AnsweredBalance[] } & ByOperator;
    };

/** `removed`: it was shown and is no more. */
export type Corrected = 'added' | 'changed' | 'removed';

/** Why it was done, and by whom. */
export type ByOperator = { reason: string; operator: string };
/** Where it was the present mapping that found a row, or no longer found it, in a page that was booked before. */
type ByRemap = Partial<ByOperator>;

export type TransactionCause =
  'recorded' | 'posted' | 'restated' | 'reversed' | 'cancelled' | 'withdrawn' | 'reinstated' | 'remapped' | 'corrected';
export type BalanceCause = 'derived' | 'reported' | 'restated' | 'remapped' | 'corrected';

/** What became of a row, and who had it done; null where no person did. */
type Because<Cause> = { cause: Cause; reason: string | null; operator: string | null };

/**
 * A row as it was answered until a correction: each of its versions, oldest first, the last one being what was shown
 * then. `json`: the text that lists showed; of a removed one its ids and `updatedAt`.
 */
export type AnsweredTransaction = Because<TransactionCause> & { eventId: string; json: string };
export type AnsweredBalance = Because<BalanceCause> & {
  eventId: string;
  currency: string;
  ledgerBalance: string;
  postedTransactionDelta: string;
  source: 'bankProvided' | 'derived';
  updatedAt: string;
};

/**
 * Stream `erasure-<connectionId>`, in clear and never erased itself: the end of a connection's data, told by ids alone.
 */
export type ErasureEvent =
  | { type: 'ConnectionErased'; data: { connectionId: string; erasedAt: string } }
  /** At most `removedIdsMax`. Those that were withdrawn before are among them: a rebuild has no other trace of them. */
  | { type: 'TransactionsRemoved'; data: LedgerOwner & { accountId: string; transactionIds: readonly string[] } }

  /** The account's own stream is gone. `events`: how many it held. */
  | { type: 'AccountErased'; data: { connectionId: string; accountId: string; events: number } };

/** Stream `receipt-<connectionId>`, in clear and never erased: what became of a connection's data, in numbers. */
export type ReceiptEvent =
  /** What the connections service has destroyed of it. */
  | { type: 'SourceErased'; data: SourceErased }
  /** All of it is destroyed. */
  | { type: 'ReceiptIssued'; data: ErasureReceipt };

/** `events`: how many the streams of its accounts and runs held. */
export type SourceErased = {
  connectionId: string;
  accounts: number;
  events: number;
  deletedAt: string;
  keyDestroyedAt: string;
  erasedAt: string;
};

type RunOf = { connectionId: string; runId: string };

/** Stream `booking-<runId>`, in clear: how far the ledger is with a run. Ends with `StatementBooked`, if at all. */
export type BookingEvent =
  /** `bytes` of the run's attachments are booked or refused. */
  | { type: 'StatementProgressed'; data: RunOf & { bytes: number } }
  /** A message of the run is a dead letter. Retried, it may still be booked. */
  | { type: 'StatementSetAside'; data: RunOf }
  /** Rows of the run that carry a payment's reference, `paymentsMax` at most. Told before the run is. */
  | { type: 'PaymentsBooked'; data: RunOf & { payments: readonly BookedPayment[] } }
  /** Every page of the run that came is booked. */
  | {
      type: 'StatementBooked';
      data: RunOf & {
        /** Additions, modifications and removals of transactions that the run brought. */
        changes: number;
        /** Pages of which nothing was booked, and why. */
        refused: readonly { accountId: string; page: number; reason: string }[];
        /** Pages of the run that never came. */
        missing: number;
      };
    };

/** A row by which money left the account. `reference`: what the payer named the payment, as the statement repeats it. */
export type BookedPayment = Readonly<{ accountId: string; transactionId: string; reference: string }>;

export const paymentsMax = 500;
export const removedIdsMax = 1000;

export type LedgerOwner = { entityId: string; connectionId: string };

/** What the bank shows a row as. `cancelled`, below, is our conclusion. */
export type SeenStatus = 'pending' | 'posted';

/** What a row is recognised by when it comes again; with the content, all that the identity index derives from. */
export type Identified = {
  transactionId: string;
  bankId: string | null;
  /** The day the bank reports it under: the posted date, or a pending one's day of report. */
  day: string;
  valueDate: string | null;
  typeCode: string | null;
};

export type Seen = Identified & { content: TransactionContent };

/** What daily balances counted it as until now. */
export type Previous = { status: SeenStatus | 'cancelled'; postedDate: string | null; amount: string };
