import type { FailureCode, Order, TransferEvent } from '../transfer.events.ts';

/** What the tables of rules begin with. */
export const at = '2026-03-01T10:00:00.000Z';
export const order: Order = {
  amount: { currency: 'USD', value: '25.00' },
  connectionId: 'c-1',
  institutionId: 'sandbox-instant',
  sourceAccountId: 'a-1',
  destination: { type: 'account', accountId: 'a-2' },
  transferType: 'internal',
  clientReference: 'invoice 7',
  memo: null,
  executionDate: null,
  skipPreflight: false,
};
export const failure: FailureCode = 'insufficient_funds';
/** Who said so, and why. */
export const said = { reason: 'the bank told us, ticket 7', operator: 'ada' };

export const queued: TransferEvent = { type: 'TransferQueued', data: { order, queuedAt: at } };
export const started: TransferEvent = { type: 'TransferExecutionStarted', data: { attempt: 0, startedAt: at } };
export const waiting: TransferEvent = { type: 'TransferAwaitsApproval', data: { awaitingSince: at } };
export const lost: TransferEvent = { type: 'TransferOutcomeLost', data: { lostAt: at } };
export const completed: TransferEvent = {
  type: 'TransferCompleted',
  data: { executedValue: '25.00', completedAt: at },
};
export const failed: TransferEvent = { type: 'TransferFailed', data: { failure, failedAt: at } };
export const cancelled: TransferEvent = {
  type: 'TransferCancelled',
  data: { failure, requestId: null, cancelledAt: at },
};
export const returned: TransferEvent = { type: 'TransferReturned', data: { failure, returnedAt: at } };
export const matchedTo = (transactionId: string): TransferEvent => ({
  type: 'TransferMatched',
  data: { transactionId, matchedAt: at },
});
export const rematchedTo = (transactionId: string | null): TransferEvent => ({
  type: 'TransferRematched',
  data: { transactionId, rematchedAt: at, ...said },
});
