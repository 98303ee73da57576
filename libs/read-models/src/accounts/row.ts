/** One account, as `GET /v1/accounts` shows it, and whose it is. */
export type AccountRow = Readonly<{
  organization: string;
  environment: 'live' | 'test';
  entityId: string;
  id: string;
  connectionId: string;
  type: string;
  currency: string;
  name: string;
  officialName: string | null;
  status: 'open' | 'closed' | 'unknown';
  maskedNumber: string | null;
  accountNumber: string | null;
  routingNumber: string | null;
  swiftBic: string | null;
  currentBalance: string | null;
  availableBalance: string | null;
  balanceAsOf: string | null;
  createdAt: string;
  updatedAt: string;
}>;
