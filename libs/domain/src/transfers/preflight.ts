import { compare } from '@causeway/money';
import type { TransferType } from './transfer-type.ts';
import type { Order } from './transfer.events.ts';

/** An account as far as an order cares. Balances are decimal strings; null where the bank does not say. */
export type PayableAccount = Readonly<{
  id: string;
  connectionId: string;
  type: string;
  currency: string;
  status: string;
  currentBalance: string | null;
  availableBalance: string | null;
}>;

export type PreflightRefusal = Readonly<{
  type: 'invalid_request' | 'preflight_failed';
  path: string;
  message: string;
}>;

export type Checked = Readonly<{
  order: Pick<Order, 'amount' | 'sourceAccountId' | 'destination' | 'transferType' | 'skipPreflight'>;
  /** Undefined: not known, or another's. */
  source: PayableAccount | undefined;
  /** The receiving account; undefined likewise, and where somebody else is paid. */
  destination: PayableAccount | undefined;
  /** What the connection's institution pays by; none where it takes no payment orders. */
  rails: readonly TransferType[];
}>;

type Known = Checked & Readonly<{ source: PayableAccount }>;

/** Accounts that no bank pays from by a transfer of this kind. */
const notPayingTypes = ['creditCard', 'loan'];

const failed = (path: string, message: string): PreflightRefusal => ({ type: 'preflight_failed', path, message });

/** Why no such transfer can be made, as far as can be told beforehand. Undefined: nothing speaks against it. */
export const preflight = (checked: Checked): PreflightRefusal | undefined => {
  const { order, source, destination } = checked;
  const { destination: to } = order;
  if (to.type === 'account' && order.sourceAccountId === to.accountId) {
    const message = 'The paying and the receiving account are the same.';
    return { type: 'invalid_request', path: 'destination.accountId', message };
  }
  if (source === undefined) return failed('sourceAccountId', 'There is no such account.');
  if (to.type === 'account' && destination === undefined) {
    return failed('destination.accountId', 'There is no such account.');
  }
  const known = { ...checked, source };
  return impossible(known) ?? (order.skipPreflight ? undefined : unlikely(known));
};

/** What no bank would do, whatever the caller skips. */
const impossible = ({ order, source, destination, rails }: Known): PreflightRefusal | undefined => {
  const { currency } = order.amount;
  if (source.currency !== currency) {
    return failed('amount.currency', `The paying account is held in ${source.currency}.`);
  }
  if (destination !== undefined && destination.currency !== currency) {
    return failed('amount.currency', `The receiving account is held in ${destination.currency}.`);
  }
  if (destination !== undefined && source.connectionId !== destination.connectionId) {
    return failed('destination.accountId', 'An internal transfer stays within one connection.');
  }
  if (rails.length === 0 || notPayingTypes.includes(source.type)) {
    return failed('sourceAccountId', 'The account takes no payment orders.');
  }
  if (!rails.includes(order.transferType)) return failed('transferType', 'The bank does not pay by this rail.');
  return undefined;
};

/** What the bank would refuse as things were when it was last asked. */
const unlikely = ({ order, source, destination }: Known): PreflightRefusal | undefined => {
  if (source.status === 'closed') return failed('sourceAccountId', 'The account is closed.');
  if (destination?.status === 'closed') return failed('destination.accountId', 'The account is closed.');
  const funds = source.availableBalance ?? source.currentBalance;
  if (funds !== null && compare(funds, order.amount.value) < 0) {
    return failed('amount.value', 'The available balance is too low.');
  }
  return undefined;
};
