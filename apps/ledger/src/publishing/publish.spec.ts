import type { Position, RecordedAt, Revision, Sequenced, StreamName } from '@causeway/event-sourcing';
import { publish } from './publish.ts';

const event = (type: string, data: object, stream: StreamName = 'booking-run-1'): Sequenced => ({
  id: 'event-1',
  type,
  data,
  stream,
  revision: 0 as Revision,
  position: 1 as Position,
  recordedAt: 1 as RecordedAt,
  metadata: { correlationId: 'request-1', causationId: 'message-1', organization: 'demo', environment: 'test' },
});

const booked = { connectionId: 'connection-1', runId: 'run-1', changes: 2, refused: [] };

test.each([true, false])('that a run is booked is told as an effect of our event; parked: %s', (parked) => {
  expect(publish(event('StatementBooked', booked), parked)).toEqual({
    topic: 'causeway.ledger.events',
    message: {
      id: 'event-1',
      type: 'ledger.statement-booked.v1',
      key: 'connection-1',
      data: { organization: 'demo', environment: 'test', ...booked, parked },
      correlationId: 'request-1',
      causationId: 'event-1',
    },
  });
});

const payments = [{ accountId: 'account-1', transactionId: 'transaction-1', reference: 'transfer-1' }];

test.each([
  ['PaymentsBooked', { payments }, 'ledger.payments-booked.v1'],
  ['StatementProgressed', { bytes: 5_000_000 }, 'ledger.statement-progress.v1'],
  ['StatementSetAside', { reason: 'Part 1 of page 1 was set aside' }, 'ledger.statement-set-aside.v1'],
])('%s is told', (type, said, message) => {
  const data = { connectionId: 'connection-1', runId: 'run-1', ...said };
  const scope = { organization: 'demo', environment: 'test' };
  expect(publish(event(type, data), false)?.message).toMatchObject({ type: message, data: { ...scope, ...data } });
});

test.each(['TransactionRecorded', 'BalanceReported', 'ConnectionErased'])('%s is nobody else’s business', (type) => {
  expect(publish(event(type, {}, 'ledger-a'), false)).toBeUndefined();
});
