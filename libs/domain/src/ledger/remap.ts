import { assertNever } from '@causeway/event-sourcing';
import { bookPage, type Booked, type IdsFor, type PageInBooks } from './booking.ts';
import type { ByOperator, LedgerEvent } from './ledger.events.ts';

/** The bank has changed nothing: what is different is how its record is read. Rows come and go as in any page. */
const remapped = (event: LedgerEvent, by: ByOperator): LedgerEvent => {
  switch (event.type) {
    case 'TransactionPosted':
      return { type: 'TransactionRemapped', data: { ...event.data, status: 'posted', ...by } };
    case 'TransactionRestated':
      return { type: 'TransactionRemapped', data: { ...event.data, ...by } };
    case 'BalanceReported':
      return { type: 'BalanceRemapped', data: { ...event.data, ...by } };
    case 'TransactionRecorded':
    case 'TransactionReinstated':
    case 'TransactionCancelled':
    case 'TransactionWithdrawn':
    case 'TransactionReversed':
    case 'TransactionReversalWithdrawn':
      return { ...event, data: { ...event.data, ...by } } as LedgerEvent;
    case 'LedgerOpened':
    case 'TransactionRelabelled':
    case 'PageBooked':
    case 'TransactionRemapped':
    case 'BalanceRemapped':
    case 'TransactionCorrected':
    case 'BalanceCorrected':
      return event;
    default:
      return assertNever(event);
  }
};

/**
 * The events that a page leads to which was booked before and is read by the present mapping now. At its old place: it
 * touches nothing that a newer page showed or covered. Read from the newest run to the oldest, since rows of an older
 * page are recognised by what newer ones say of them, in the words of the present mapping.
 */
export const remapPage = async (page: PageInBooks, by: ByOperator, idsFor: IdsFor): Promise<readonly Booked[]> => {
  const booked = await bookPage({ ...page, isReadAgain: true }, idsFor);
  return booked.map(({ event, change }) => ({ event: remapped(event, by), change }));
};
