export { rails } from './statement.ts';
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
