import type { Scope } from './scope.ts';

/** What a bank tells of an account besides its record. Decimal strings; null where it does not say. */
export type AccountDetails = Readonly<{
  type: 'checking' | 'savings' | 'moneyMarket' | 'creditCard' | 'loan' | 'investment' | 'wallet' | 'other' | 'unknown';
  name: string;
  officialName: string | null;
  status: 'open' | 'closed' | 'unknown';
  number: string;
  routingNumber: string | null;
  swiftBic: string | null;
  currentBalance: string | null;
  availableBalance: string | null;
  /** UTC date-time of the two balances. */
  balanceAsOf: string | null;
}>;

/**
 * What can have happened to an account. Encrypted under the connection's data key. These names and shapes are on disk
 * for good: add a case, or a V2 beside a case; never change one. Times are UTC with milliseconds.
 */
export type AccountEvent =
  | Readonly<{
      type: 'AccountDiscovered';
      data: Scope &
        Readonly<{
          entityId: string;
          connectionId: string;
          /** The bank's own name for the account, stable within the connection. The account's id derives from it. */
          key: string;
          currency: string;
          details: AccountDetails;
          discoveredAt: string;
        }>;
    }>
  /** `details`: what changed, and nothing else. */
  | Readonly<{ type: 'AccountChanged'; data: Readonly<{ details: Partial<AccountDetails>; changedAt: string }> }>;
