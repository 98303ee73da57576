import type { Position, RecordedAt, Revision, Sequenced } from '@causeway/event-sourcing';
import { publish } from './publish.ts';

const event = (type: string, data: object): Sequenced => ({
  id: 'event-1',
  type,
  data,
  stream: 'booking-run-1',
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

test.each(['TransactionRecorded', 'BalanceReported', 'ConnectionErased'])('%s is nobody else’s business', (type) => {
  expect(publish(event(type, {}), false)).toBeUndefined();
});
