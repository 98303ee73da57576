import type { BookingEvent, ErasureEvent, LedgerEvent, ReceiptEvent } from '@causeway/domain/ledger';

/** All that the ledger's store holds. */
export type TransactionEvent = LedgerEvent | ErasureEvent | ReceiptEvent | BookingEvent;
