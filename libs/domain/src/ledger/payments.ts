import { assertNever } from '@causeway/event-sourcing';
import type { LedgerEvent, Seen } from './ledger.events.ts';

/** What payments that are ordered here are named: a UUID, and which attempt it is after a dot. */
const reference = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(\.\d{1,6})?$/;

/** The payment that an event shows in the bank's books: whoever ordered it recognises the reference. */
export const paymentIn = (event: LedgerEvent): Readonly<{ transactionId: string; reference: string }> | undefined => {
  switch (event.type) {
    case 'TransactionRecorded':
    case 'TransactionReinstated':
    case 'TransactionRestated':
    case 'TransactionRemapped':
      return event.data.status === 'posted' ? seenPayment(event.data) : undefined;
    case 'TransactionPosted':
      return seenPayment(event.data);
    case 'LedgerOpened':
    case 'TransactionRelabelled':
    case 'TransactionCancelled':
    case 'TransactionReversed':
    case 'TransactionReversalWithdrawn':
    case 'TransactionWithdrawn':
    case 'BalanceReported':
    case 'PageBooked':
    case 'BalanceRemapped':
    case 'TransactionCorrected':
    case 'BalanceCorrected':
      return undefined;
    default:
      return assertNever(event);
  }
};

const seenPayment = ({ transactionId, content }: Seen) => {
  const { amount, customerReference } = content;
  const isPayment = amount.startsWith('-') && customerReference !== null && reference.test(customerReference);
  return isPayment ? { transactionId, reference: customerReference } : undefined;
};
