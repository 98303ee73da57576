import type { StatementPage } from '@causeway/domain/ledger';
import type { Payee, TransferType } from '@causeway/domain/transfers';

/** The account types of the interface. */
export type BankAccountType =
  'checking' | 'savings' | 'moneyMarket' | 'creditCard' | 'loan' | 'investment' | 'wallet' | 'other' | 'unknown';

/** An account as the bank shows it to this login. Decimal strings; null where the bank does not say. */
export type BankAccount = Readonly<{
  /** Stable within the connection: bank identifier, number and currency. Account ids derive from it. */
  key: string;
  number: string;
  type: BankAccountType;
  currency: string;
  name: string;
  officialName: string | null;
  status: 'open' | 'closed' | 'unknown';
  routingNumber: string | null;
  swiftBic: string | null;
  currentBalance: string | null;
  availableBalance: string | null;
  /** UTC date-time of the two balances. */
  balanceAsOf: string | null;
}>;

/**
 * What a page covers, so that the same page is recognised when it comes again unchanged. A page over days replaces
 * what is known of every page whose days overlap; a named one replaces the page of that name.
 */
export type PageRange = Readonly<{ from: string; to: string }> | Readonly<{ name: string }>;

/**
 * One page of an account's record, in the bank's own bytes. A page over days shows whole days. It crosses the bus in
 * parts: each at most `partRowsMax` rows and `partBytesMax` bytes, each readable on its own by `map`.
 */
export type RawPage = Readonly<{
  accountKey: string;
  range: PageRange;
  /** The bank's today, by its own clock where it tells it. */
  bankDay: string;
  parts: readonly Buffer[];
}>;

export const partRowsMax = 500;
/** Kafka's default message limit is 1 MB; half of it leaves room for encryption and headers. */
export const partBytesMax = 512 * 1024;

export type Fetched = Readonly<{ type: 'account'; account: BankAccount }> | Readonly<{ type: 'page'; page: RawPage }>;

/** What a user at a bank logs in with, as far as it is known. */
export type Credentials = Readonly<{ bankUsername?: string; bankCustomerId?: string; password?: string }>;

/** Who logs in, where. `fileDropDir` is set for institutions without an API. */
export type BankAccess = Readonly<{
  connectionId: string;
  institutionId: string;
  baseUrl: string;
  fileDropDir: string;
  /** Of a delegated user. */
  credentials?: Credentials;
}>;

/** What went wrong at the bank, as far as the lifecycle of a connection cares. */
export type BankFaultKind =
  'login_refused' | 'insufficient_rights' | 'access_revoked' | 'rate_limited' | 'unavailable' | 'bad_answer';

/** A bank that asks for more is asked again all the same: what it says may be a mistake, and nobody would notice. */
const retryAfterMaxSeconds = 3600;

export class BankFault extends Error {
  constructor(
    readonly kind: BankFaultKind,
    message: string,
    options?: ErrorOptions & { retryAfterSeconds?: number },
  ) {
    super(message, options);
    const { retryAfterSeconds } = options ?? {};
    this.retryAfterSeconds = retryAfterSeconds && Math.min(retryAfterSeconds, retryAfterMaxSeconds);
  }
  /** What the bank asked for, within bounds. */
  readonly retryAfterSeconds: number | undefined;
}

export type PaymentOrder = Readonly<{
  /** Of one attempt at a transfer. The bank executes one payment per reference, and can be asked about it. */
  reference: string;
  rail: TransferType;
  amount: string;
  currency: string;
  fromAccountNumber: string;
  to: Readonly<{ accountNumber: string }> | Readonly<{ payee: Payee }>;
  clientReference: string | null;
  memo: string | null;
}>;

/** `unknown`: the bank has never seen the reference. */
export type PaymentState =
  | Readonly<{ status: 'received' | 'awaitingApproval' | 'executed' | 'unknown' }>
  | Readonly<{ status: 'declined' | 'failed' | 'returned'; code: string }>;

/** A sync in progress at one bank. */
export interface BankSession {
  /** Accounts first, each before its pages. Stops with a `BankFault`. Nothing is held but the page in hand. */
  fetch(signal: AbortSignal): AsyncIterable<Fetched>;
  /** What the bank lent for all that was fetched, for `settle`: marks of files, never what is in them. */
  lent(): readonly string[];
}

/** `lookAgainMs`: until another day can have begun. */
export type BankDay = Readonly<{ today: string; lookAgainMs: number }>;

export interface Payments {
  /** What it pays by. */
  readonly rails: readonly TransferType[];
  /** Sends one order. A fault of kind `unavailable` or `bad_answer` leaves the outcome unknown. */
  pay(access: BankAccess, order: PaymentOrder, signal: AbortSignal): Promise<PaymentState>;
  /** What became of a reference. */
  stateOf(access: BankAccess, reference: string, signal: AbortSignal): Promise<PaymentState>;
  /** The bank's local date, by its own clock. */
  day(access: BankAccess, signal: AbortSignal): Promise<BankDay>;
}

/** One way of talking to banks. Every connector passes `connectorConformance`. */
export interface Connector {
  readonly name: string;
  /** It logs in as a user who was made for it at the bank: needs a setup before, and takes credentials. */
  readonly isDelegated: boolean;
  /** Made once with the connection (a drop folder, a customer record); safe to repeat. */
  prepare(access: BankAccess, signal?: AbortSignal): Promise<void>;
  /** Whether the bank lets us in, and to all that is needed; if not, a `BankFault`. Safe to repeat. */
  login(access: BankAccess, signal: AbortSignal): Promise<void>;
  open(access: BankAccess): BankSession;
  /**
   * Everything fetched has been booked: what a session was lent goes back, files to `processed/`. In any process; safe
   * to repeat.
   */
  settle(access: BankAccess, lent: readonly string[]): Promise<void>;
  /** What lies outside of our stores because of the connection (a drop folder, files and all) goes. Safe to repeat. */
  erase(access: BankAccess): Promise<void>;
  /**
   * A part → what it shows of its page; all parts of a page cover the same. Pure; throws `BankFault('bad_answer')` on
   * what it cannot read.
   */
  map(part: Buffer): StatementPage;
  readonly payments?: Payments;
}
