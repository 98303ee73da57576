import { failureMessages, type Order, type TransferEvent } from '@causeway/domain/transfers';
import type { Recorded, Revision } from '@causeway/event-sourcing';
import type { TransferRow } from '@causeway/read-models';
import { applyToTransfer } from './transfers.ts';

const at = (minute: number): string => `2026-03-01T10:0${minute}:00.000Z`;
const scope = { organization: 'demo', environment: 'test' } as const;
const failure = 'returned_by_beneficiary';
const queued: Extract<TransferEvent, { type: 'TransferQueued' }> = {
  type: 'TransferQueued',
  data: {
    order: {
      amount: { currency: 'USD', value: '5.00' },
      connectionId: 'c-1',
      institutionId: 'sandbox-instant',
      sourceAccountId: 'a-1',
      destination: { type: 'account', accountId: 'a-2' },
      transferType: 'internal',
      clientReference: 'invoice 7',
      memo: null,
      executionDate: '2026-03-01',
      skipPreflight: false,
    },
    queuedAt: at(0),
  },
};
const started: TransferEvent = { type: 'TransferExecutionStarted', data: { attempt: 0, startedAt: at(1) } };
const lost: TransferEvent = { type: 'TransferOutcomeLost', data: { lostAt: at(2) } };
const completed: TransferEvent = {
  type: 'TransferCompleted',
  data: { executedValue: '5.00', completedAt: at(3) },
};
const failed: TransferEvent = { type: 'TransferFailed', data: { failure, failedAt: at(3) } };
const cancelled: TransferEvent = { type: 'TransferCancelled', data: { failure, requestId: null, cancelledAt: at(3) } };
const returned: TransferEvent = { type: 'TransferReturned', data: { failure, returnedAt: at(4) } };

const rowAfter = (...events: readonly TransferEvent[]) =>
  events
    .map((event, revision): Recorded<TransferEvent> => {
      const metadata = { correlationId: 'request-1', causationId: 'message-1', ...scope };
      return { ...event, id: `event-${revision}`, stream: 'transfer-t-1', revision: revision as Revision, metadata };
    })
    .reduce<TransferRow | undefined>(applyToTransfer, undefined);

test('a queued transfer shows what was asked for, whose it is, and nothing done', () => {
  expect(rowAfter(queued)).toEqual({
    ...scope,
    id: 't-1',
    status: 'queued',
    transferType: 'internal',
    requestedValue: '5.00',
    executedValue: null,
    currency: 'USD',
    connectionId: 'c-1',
    sourceAccountId: 'a-1',
    destinationAccountId: 'a-2',
    payee: null,
    clientReference: 'invoice 7',
    memo: null,
    executionDate: '2026-03-01',
    failureCode: null,
    failureMessage: null,
    createdAt: at(0),
    updatedAt: at(0),
    completedAt: null,
    matchedTransactionId: null,
  });
});

test.each<[string, readonly TransferEvent[], Partial<TransferRow>]>([
  ['executing', [queued, started], { updatedAt: at(1), completedAt: null }],
  ['unknown', [queued, started, lost], { updatedAt: at(2), completedAt: null }],
  ['completed', [queued, started, lost, completed], { executedValue: '5.00', completedAt: at(3) }],
  ['failed', [queued, started, failed], { failureCode: failure, completedAt: at(3) }],
  ['cancelled', [queued, started, cancelled], { failureCode: failure, completedAt: at(3) }],
])('a transfer may be %s', (status, events, shown) => {
  expect(rowAfter(...events)).toMatchObject({ status, ...shown });
});

test('the time of completion stays when the money comes back', () => {
  const row = rowAfter(queued, started, completed, returned);
  expect(row).toMatchObject({
    status: 'returned',
    completedAt: at(3),
    updatedAt: at(4),
    failureMessage: failureMessages[failure],
  });
});

const retried: TransferEvent = {
  type: 'TransferRetried',
  data: { attempt: 1, institutionId: 'sandbox-instant', requestId: 'r-1', retriedAt: at(4) },
};

test('a retry takes back that it had ended', () => {
  const row = rowAfter(queued, started, failed, retried);
  expect(row).toMatchObject({ status: 'queued', updatedAt: at(4) });
  expect(row).toMatchObject({ failureCode: null, failureMessage: null, completedAt: null });
});

test('the row of the statement is shown', () => {
  const matched: TransferEvent = { type: 'TransferMatched', data: { transactionId: 'x-1', matchedAt: at(4) } };
  const row = rowAfter(queued, started, completed, matched);
  expect(row).toMatchObject({ status: 'completed', matchedTransactionId: 'x-1', completedAt: at(3), updatedAt: at(4) });
});

const said = { reason: 'ticket 7', operator: 'ada' };
const rematched = (transactionId: string | null): TransferEvent => ({
  type: 'TransferRematched',
  data: { transactionId, rematchedAt: at(5), ...said },
});

test.each([['x-2'], [null]])('an operator’s match to %s takes the place of the one before', (transactionId) => {
  const matched: TransferEvent = { type: 'TransferMatched', data: { transactionId: 'x-1', matchedAt: at(4) } };
  const row = rowAfter(queued, started, completed, matched, rematched(transactionId));
  expect(row).toMatchObject({ status: 'completed', matchedTransactionId: transactionId, updatedAt: at(5) });
});

test('what counted as failed and was paid shows no failure', () => {
  const row = rowAfter(queued, started, failed, completed, rematched('x-1'));
  expect(row).toMatchObject({ status: 'completed', failureCode: null, failureMessage: null });
});

test('what an operator declares of an outcome is not shown before something has come of it', () => {
  const declaredAt = at(5);
  const data = { outcome: 'sent', institutionId: 'sandbox-instant', declaredAt, ...said } as const;
  expect(rowAfter(queued, started, { type: 'TransferOutcomeDeclared', data })).toEqual(rowAfter(queued, started));
});

test('of a payee nothing is kept but what may be shown', () => {
  const details = { accountNumber: '000123456789', routingNumber: '021000021' };
  const paymentIdentifier = { scheme: 'us_wire', countryCode: 'US', currency: 'USD', details } as const;
  const payee = { name: 'Acme', paymentIdentifier, bankName: null, address: null };
  const order: Order = { ...queued.data.order, transferType: 'wire', destination: { type: 'external', payee } };
  const row = rowAfter({ type: 'TransferQueued', data: { ...queued.data, order } });
  expect(row).toMatchObject({ transferType: 'wire', destinationAccountId: null });
  expect(row?.payee?.paymentIdentifier.details).toEqual({ ...details, accountNumber: '••••6789' });
});
