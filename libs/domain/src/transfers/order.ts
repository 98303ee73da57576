import { canonical } from '@causeway/money';
import type { Payee } from './payee.ts';
import type { Order } from './transfer.events.ts';

const lines = ['line1', 'line2', 'city', 'region', 'postalCode', 'country'] as const;

/** Of a normal payee: its details stand in the order of their names. */
const canonicalPayee = ({ name, paymentIdentifier, bankName, address }: Payee): readonly unknown[] => {
  const { scheme, countryCode, currency, details } = paymentIdentifier;
  const where = address && lines.map((line) => address[line]);
  return [name, scheme, countryCode, currency, Object.entries(details), bankName, where];
};

/**
 * One text per order: trailing zeros of the amount, the case of identifiers and the order of members do not show in it.
 * Nor do connection and institution, which follow from the paying account.
 */
const canonicalOrder = (order: Order): string =>
  JSON.stringify([
    canonical(order.amount.value),
    order.amount.currency,
    order.sourceAccountId.toLowerCase(),
    order.destination.type === 'account'
      ? order.destination.accountId.toLowerCase()
      : canonicalPayee(order.destination.payee),
    order.transferType,
    order.clientReference,
    order.memo,
    order.executionDate,
    order.skipPreflight,
  ]);

/** Whether two requests under one idempotency key ask for the same. */
export const sameOrder = (one: Order, other: Order): boolean => canonicalOrder(one) === canonicalOrder(other);
