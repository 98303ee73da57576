import type { Environment } from '@causeway/contracts';
import type { StreamName } from '@causeway/event-sourcing';

/** An account, and whose it is. */
export type Account = Readonly<{
  accountId: string;
  connectionId: string;
  entityId: string;
  organization: string;
  environment: Environment;
}>;

/** The request or run that led here, and the message that did. */
export type Causes = Readonly<{ correlationId: string; causationId: string }>;

export const ledgerStream = (accountId: string): StreamName => `ledger-${accountId}`;
export const erasureStream = (connectionId: string): StreamName => `erasure-${connectionId}`;
export const receiptStream = (connectionId: string): StreamName => `receipt-${connectionId}`;
export const bookingStream = (runId: string): StreamName => `booking-${runId}`;

export const causesOf = ({ id, correlationId }: Readonly<{ id: string; correlationId: string }>): Causes => ({
  correlationId,
  causationId: id,
});
