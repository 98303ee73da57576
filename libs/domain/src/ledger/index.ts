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
export { removedIdsMax } from './ledger.events.ts';
export type {
  BookingEvent,
  ErasureEvent,
  Identified,
  LedgerEvent,
  LedgerOwner,
  Previous,
  Seen,
  SeenStatus,
} from './ledger.events.ts';
export { seenRow } from './imprint.ts';
export type { Digest, Imprint, SeenRow } from './imprint.ts';
export { amountKeyOf, identityChange, isVisibleChange } from './identity.ts';
export type { IdentityChange, KnownRow, KnownStatus } from './identity.ts';
export { resolve } from './resolve.ts';
export type { Resolution } from './resolve.ts';
export { firstSightKey, mintIds } from './first-sight.ts';
export { bookBalances, bookRows } from './booking.ts';
export type { Booked } from './booking.ts';
export { faultOfPage } from './page.ts';
export { balanceFactsOf } from './balances/balance-facts.ts';
export type { BalanceChange, BalanceFact } from './balances/balance-facts.ts';
export type { DailyBalance } from './balances/book.ts';
export { daysReached, foldBalances } from './balances/daily-balances.ts';
export type { Balances, Span } from './balances/daily-balances.ts';
