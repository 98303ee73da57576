import { canonical } from '@causeway/money';
import type { Order } from './transfer.events.ts';

/**
 * One text per order: trailing zeros of the amount, the case of identifiers and the order of members do not show in it.
 * Nor do connection and institution, which follow from the paying account.
 */
const canonicalOrder = (order: Order): string =>
  JSON.stringify([
    canonical(order.amount.value),
    order.amount.currency,
    order.sourceAccountId.toLowerCase(),
    order.destinationAccountId.toLowerCase(),
    order.clientReference,
    order.memo,
    order.executionDate,
    order.skipPreflight,
  ]);

/** Whether two requests under one idempotency key ask for the same. */
export const sameOrder = (one: Order, other: Order): boolean => canonicalOrder(one) === canonicalOrder(other);
