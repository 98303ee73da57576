import { compare } from '@causeway/money';

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

export type PreflightRefusal = Readonly<{ path: string; message: string }>;

export type Checked = Readonly<{
  source: PayableAccount;
  destination: PayableAccount;
  amount: Readonly<{ currency: string; value: string }>;
  /** Whether the connection's institution takes payment orders. */
  takesPayments: boolean;
}>;

/** Accounts that no bank pays from by a transfer of this kind. */
const notPayingTypes = ['creditCard', 'loan'];

/** Why the bank would refuse the order, as far as can be told beforehand. */
export const preflight = ({ source, destination, amount, takesPayments }: Checked): PreflightRefusal | undefined => {
  if (source.id === destination.id) {
    return { path: 'destination.accountId', message: 'The paying and the receiving account are the same.' };
  }
  if (source.status === 'closed') return { path: 'sourceAccountId', message: 'The account is closed.' };
  if (destination.status === 'closed') return { path: 'destination.accountId', message: 'The account is closed.' };
  if (source.currency !== amount.currency) {
    return { path: 'amount.currency', message: `The paying account is held in ${source.currency}.` };
  }
  if (destination.currency !== amount.currency) {
    return { path: 'amount.currency', message: `The receiving account is held in ${destination.currency}.` };
  }
  if (source.connectionId !== destination.connectionId) {
    return { path: 'destination.accountId', message: 'An internal transfer stays within one connection.' };
  }
  if (!takesPayments || notPayingTypes.includes(source.type)) {
    return { path: 'sourceAccountId', message: 'The rail is not supported for this account.' };
  }
  const funds = source.availableBalance ?? source.currentBalance;
  if (funds !== null && compare(funds, amount.value) < 0) {
    return { path: 'amount.value', message: 'The available balance is too low.' };
  }
  return undefined;
};
