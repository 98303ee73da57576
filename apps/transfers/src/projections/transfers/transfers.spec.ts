import { failureMessages, type TransferEvent } from '@causeway/domain/transfers';
import type { Recorded, Revision } from '@causeway/event-sourcing';
import type { TransferRow } from '@causeway/read-models';
import { applyToTransfer } from './transfers.ts';

const at = (minute: number): string => `2026-03-01T10:0${minute}:00.000Z`;
const scope = { organization: 'demo', environment: 'test' } as const;
const failure = 'returned_by_beneficiary';
const queued: TransferEvent = {
  type: 'TransferQueued',
  data: {
    order: {
      amount: { currency: 'USD', value: '5.00' },
      connectionId: 'c-1',
      institutionId: 'sandbox-instant',
      sourceAccountId: 'a-1',
      destinationAccountId: 'a-2',
      clientReference: 'invoice 7',
      memo: null,
      executionDate: '2026-03-01',
      skipPreflight: false,
    },
    queuedAt: at(0),
  },
};
const started: TransferEvent = { type: 'TransferExecutionStarted', data: { attempt: 1, startedAt: at(1) } };
const lost: TransferEvent = { type: 'TransferOutcomeLost', data: { lostAt: at(2) } };
const completed: TransferEvent = {
  type: 'TransferCompleted',
  data: { executedValue: '5.00', completedAt: at(3) },
};
const failed: TransferEvent = { type: 'TransferFailed', data: { failure, failedAt: at(3) } };
const cancelled: TransferEvent = { type: 'TransferCancelled', data: { failure, cancelledAt: at(3) } };
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
    type: 'internal',
    transferType: 'internal',
    requestedValue: '5.00',
    executedValue: null,
    currency: 'USD',
    connectionId: 'c-1',
    sourceAccountId: 'a-1',
    destinationAccountId: 'a-2',
    clientReference: 'invoice 7',
    memo: null,
    executionDate: '2026-03-01',
    failureCode: null,
    failureMessage: null,
    createdAt: at(0),
    updatedAt: at(0),
    completedAt: null,
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
