export { rails, transactionContent } from './statement.ts';
export type {
  ClosingBalance,
  Coverage,
  DayRange,
  Rail,
  StatementPage,
  StatementRow,
  TransactionContent,
} from './statement.ts';
export { runBooking } from './run-booking.ts';
export type { BookingCommand } from './run-booking.ts';
export { removedIdsMax } from './ledger.events.ts';
export type {
  AnsweredBalance,
  AnsweredTransaction,
  BalanceCause,
  BookedPayment,
  BookingEvent,
  ByOperator,
  ErasureEvent,
  LedgerEvent,
  ReceiptEvent,
  Seen,
  SeenStatus,
  SourceErased,
  TransactionCause,
} from './ledger.events.ts';
export { erasureFacts } from './erasure.ts';
export type { ErasureFacts, ErasureReceipt } from './receipt.ts';
export { paymentIn } from './payments.ts';
export { seenRow } from './imprint.ts';
export type { Digest, SeenRow } from './imprint.ts';
export { amountKeyOf, identityChange, isOfPage, isVisibleChange } from './identity.ts';
export type { IdentityChange, KnownRow, KnownStatus } from './identity.ts';
export { firstSightKey, mintIds } from './first-sight.ts';
export { bookPage } from './booking.ts';
export { remapPage } from './remap.ts';
export type { Booked, IdsFor, PageInBooks, StatedBalance } from './booking.ts';
export { addClaims, claimsOf } from './covered.ts';
export type { Covered } from './covered.ts';
export { placeOf } from './place.ts';
export type { Place } from './place.ts';
export { faultOfDays, faultOfPage, wholePage } from './page.ts';
export { balanceFactsOf } from './balances/balance-facts.ts';
export type { BalanceChange } from './balances/balance-facts.ts';
export type { DailyBalance } from './balances/book.ts';
export { daysReached, foldBalances } from './balances/daily-balances.ts';
export type { Balances, Folded, Span } from './balances/daily-balances.ts';
export type { DayPast, DayVersion } from './balances/settle.ts';
