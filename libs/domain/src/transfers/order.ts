import { canonical } from '@causeway/money';
import type { Order } from './transfer.events.ts';

/**
 * One text per order: trailing zeros of the amount, the case of identifiers and the order of members do not show in it.
 * Two requests under one idempotency key are the same when their texts are.
 */
export const canonicalOrder = (order: Order, skipPreflight: boolean): string =>
  JSON.stringify([
    canonical(order.amount.value),
    order.amount.currency,
    order.sourceAccountId.toLowerCase(),
    order.destinationAccountId.toLowerCase(),
    order.clientReference,
    order.memo,
    order.executionDate,
    skipPreflight,
  ]);

export const sameOrder = (one: Order, other: Order): boolean =>
  canonicalOrder(one, false) === canonicalOrder(other, false);
